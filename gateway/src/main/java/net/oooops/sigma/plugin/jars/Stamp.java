package net.oooops.sigma.plugin.jars;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What tells one state of a file from another, of the file that a path leads to through all links. */
record Stamp(
        Path file,
        @Nullable FileTime modified,
        long size,
        @Nullable Object key) {
    /** A file as young as that may change once more without its time telling. */
    private static final Duration YOUNG = Duration.ofSeconds(2);

    /** That of now. */
    static Stamp of(Path file) {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return new Stamp(file, found.lastModifiedTime(), found.size(), found.fileKey());
        } catch (IOException e) {
            return new Stamp(file, null, -1, null);
        }
    }

    /** Whether a file with the same stamp is the same file for sure. */
    boolean isSettled() {
        return modified != null && System.currentTimeMillis() - modified.toMillis() > YOUNG.toMillis();
    }
}
