package net.oooops.sigma.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** One of the files that make a configuration together, where what a later one says is stronger than what the earlier ones do. */
public final class Layer {
    private final Source source;
    private final @Nullable Path file;
    private final byte[] json;

    private Layer(Source source, @Nullable Path file, byte[] json) {
        this.source = source;
        this.file = file;
        this.json = json;
    }

    /** A file, which its places call by the path given. */
    public static Layer of(Path file) {
        return new Layer(Source.of(file), file, new byte[0]);
    }

    /**
     * The bytes of a file.
     *
     * @param name how its places call it; empty where whoever shows them gives it a name. Where it ends in .yaml or .yml they are YAML
     * @param json UTF-8, with or without a byte order mark; not changed any more
     * @param folder what paths of files named in it are relative to
     */
    public static Layer of(String name, byte[] json, Path folder) {
        return new Layer(new Source(name, folder, Source.isYaml(name)), null, json);
    }

    Source source() {
        return source;
    }

    /** Where it is; null where it is none that could be read again. */
    @Nullable Path file() {
        return file;
    }

    /** What is in it, where it is no file. */
    byte[] json() {
        return json;
    }
}
