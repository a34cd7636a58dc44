package net.oooops.sigma.config;

import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file of configuration as it was read: sigma.json, another layer, or what one of them includes. Not one that holds a secret, a page or nodes.
 *
 * @param path absolute; of what was no file, what it was called
 * @param bytes what was in it, to be changed by nobody
 */
@SuppressWarnings("ArrayRecordComponent") // Equal by what is in it, below.
public record ConfigText(Path path, byte[] bytes) {
    @Override
    public boolean equals(Object other) {
        return other instanceof ConfigText text && path.equals(text.path) && Arrays.equals(bytes, text.bytes);
    }

    @Override
    public int hashCode() {
        return path.hashCode();
    }

    @Override
    public String toString() {
        return path + " (" + bytes.length + " bytes)";
    }
}
