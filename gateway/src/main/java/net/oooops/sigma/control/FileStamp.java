package net.oooops.sigma.control;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import net.oooops.sigma.ask.FileAnswers;
import org.jspecify.annotations.Nullable;

/**
 * What tells one state of a file from another, of the file that a path leads to through all links.
 *
 * @param modified when its content was last written, as whoever writes it may have set it; null where it isn't there
 * @param changed when anything of it last was, which nobody can set; null where the file system has no such time
 */
record FileStamp(
        @Nullable FileTime modified,
        @Nullable FileTime changed,
        long size,
        @Nullable Object key) {
    /** A file as young as that may change once more without its time telling: it is read again. */
    private static final Duration YOUNG = Duration.ofSeconds(2);

    private static final String UNIX = "unix";
    private static final FileStamp GONE = new FileStamp(null, null, 0, null);

    /**
     * That of now, also where the file is on a mount that is stuck: whoever asks waits no longer than {@link FileAnswers} do.
     *
     * @throws IOException where nothing is known of it, as it hasn't answered
     */
    static FileStamp asked(Path file) throws IOException {
        try {
            return FileAnswers.of(file, reading -> of(file));
        } catch (FileAnswers.Unanswered | InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            return GONE;
        }
    }

    /** That of now. */
    private static FileStamp of(Path file) {
        try {
            if (!file.getFileSystem().supportedFileAttributeViews().contains(UNIX)) {
                BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
                return new FileStamp(found.lastModifiedTime(), null, found.size(), found.fileKey());
            }
            Map<String, Object> found = Files.readAttributes(file, UNIX + ":lastModifiedTime,ctime,size,fileKey");
            return new FileStamp(
                    (FileTime) found.get("lastModifiedTime"),
                    (FileTime) found.get("ctime"),
                    found.get("size") instanceof Long size ? size : 0,
                    found.get("fileKey"));
        } catch (IOException e) {
            return GONE;
        }
    }

    /** Whether the file may change once more, and its stamp not. */
    boolean isYoung() {
        long now = System.currentTimeMillis();
        return isYoung(modified, now) || isYoung(changed, now);
    }

    private static boolean isYoung(@Nullable FileTime time, long now) {
        long age = time == null ? Long.MAX_VALUE : now - time.toMillis();
        return age >= 0 && age < YOUNG.toMillis();
    }

    /** Whether it was written, or anything of it changed, at that time or after it. */
    boolean isSince(long millis) {
        return isSince(modified, millis) || isSince(changed, millis);
    }

    private static boolean isSince(@Nullable FileTime time, long millis) {
        return time != null && time.toMillis() >= millis;
    }
}
