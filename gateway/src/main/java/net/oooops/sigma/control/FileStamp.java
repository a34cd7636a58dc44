package net.oooops.sigma.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What tells one state of a file from another, of the file that a path leads to through all links. */
record FileStamp(
        @Nullable FileTime modified, long size, @Nullable Object key) {
    /** A file as young as that may change once more without its time telling: it is read again. */
    private static final Duration YOUNG = Duration.ofSeconds(2);

    private static final FileStamp GONE = new FileStamp(null, 0, null);

    /** That of now. */
    static FileStamp of(Path file) {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return new FileStamp(found.lastModifiedTime(), found.size(), found.fileKey());
        } catch (IOException e) {
            return GONE;
        }
    }

    /** Whether the file may change once more, and its stamp not. */
    boolean isYoung() {
        if (modified == null) {
            return false;
        }
        long age = System.currentTimeMillis() - modified.toMillis();
        return age >= 0 && age < YOUNG.toMillis();
    }
}
