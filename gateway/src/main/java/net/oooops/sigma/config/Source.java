package net.oooops.sigma.config;

import java.nio.file.Path;

/**
 * A file that values were read from.
 *
 * @param name how problems call it; empty where whoever has it read gives it a name
 * @param folder what relative paths in it start from
 * @param yaml whether it is YAML, not JSON
 * @param isFolderGone whether that folder isn't there: of a file that was kept
 */
record Source(String name, Path folder, boolean yaml, boolean isFolderGone) {

    /** Of which the folder is there. */
    Source(String name, Path folder, boolean yaml) {
        this(name, folder, yaml, false);
    }

    /** What is read for nobody who would ask where it was. */
    static final Source UNNAMED = new Source("", Path.of(""), false);

    /** A file, called by its path. */
    static Source of(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return new Source(file.toString(), parent == null ? file.toAbsolutePath() : parent, isYaml(file.toString()));
    }

    /** The same file without its name. */
    Source unnamed() {
        return new Source("", folder, yaml, isFolderGone);
    }

    /** The same file, whose folder isn't there. */
    Source withoutFolder() {
        return new Source(name, folder, yaml, true);
    }

    /**
     * Where a file is that is named in this one.
     *
     * @param path as it is written there
     */
    Path resolve(String path) {
        Path resolved = folder.resolve(path);
        // The system finds no way through a folder that isn't there, be it back out of it.
        return isFolderGone ? resolved.normalize() : resolved;
    }

    /** Whether a file is YAML, by the end of its name. */
    static boolean isYaml(String name) {
        return name.endsWith(".yaml") || name.endsWith(".yml");
    }

    /**
     * A file that is named in this one.
     *
     * @param path as it is written there
     */
    Source beside(String path) {
        Path parent = name.isEmpty() ? folder : Path.of(name).getParent();
        Source absolute = of(resolve(path));
        Path shown = parent == null ? Path.of(path) : parent.resolve(path);
        return new Source(shown.toString(), absolute.folder(), absolute.yaml());
    }

    /** What it is called within a message about another one. */
    String shownName() {
        return name.isEmpty() ? "sigma.json" : Json.printable(name);
    }
}
