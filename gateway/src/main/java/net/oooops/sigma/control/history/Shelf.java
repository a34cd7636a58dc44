package net.oooops.sigma.control.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * The folder of all histories: for its owner alone, as all in it, and of bounded size. One thread at a time in a process; other processes may use it, too.
 *
 * @param folder where it is
 * @param bytesMax so much may be in it
 */
record Shelf(Path folder, long bytesMax) {
    private static final String FRESH = ".new-";
    /** What was begun and not ended for so long is of a process that died meanwhile. */
    private static final Duration FRESH_LIMIT = Duration.ofHours(1);

    /** A new folder, to be given its name when all is in it. */
    Path fresh(String name) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, rights(folder, "rwx------"));
        }
        return Files.createTempDirectory(folder, FRESH + name, rights(folder, "rwx------"));
    }

    /** The folders of one gateway. */
    List<Path> of(String name) throws IOException {
        return matching(name + "-*");
    }

    private List<Path> matching(String glob) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, glob)) {
            for (Path each : all) {
                if (number(each) > 0) {
                    found.add(each);
                }
            }
        } catch (NoSuchFileException e) {
            return found;
        }
        return found;
    }

    /** The number at the end of a folder's name, 0 where there is none. */
    static int number(Path folder) {
        String digits = folder.getFileName().toString().replaceFirst(".*-", "");
        return digits.matches("[1-9][0-9]{0,8}") ? Integer.parseInt(digits) : 0;
    }

    /** A file of one, which isn't longer than all may be. */
    byte[] read(Path file) throws IOException {
        if (Files.size(file) > bytesMax) {
            throw new IOException("a file that is too long");
        }
        return Files.readAllBytes(file);
    }

    /**
     * Throws the oldest away, where there are too many of one gateway, or where all are too large together.
     *
     * @param kept stays, whatever else has to go
     */
    void clear(String name, int countMax, Path kept) throws IOException {
        List<Path> own = new ArrayList<>(of(name));
        own.sort(Comparator.comparingInt(Shelf::number));
        for (int i = 0; i < own.size() - countMax; i++) {
            delete(own.get(i));
        }
        List<Path> all = new ArrayList<>(matching("*-*"));
        all.sort(Comparator.comparing(Shelf::time).thenComparingInt(Shelf::number));
        long bytes = 0;
        for (Path each : all) {
            bytes += size(each);
        }
        for (int i = 0; i < all.size() && bytes > bytesMax; i++) {
            if (!all.get(i).equals(kept)) {
                bytes -= size(all.get(i));
                delete(all.get(i));
            }
        }
        clearUnfinished();
    }

    private void clearUnfinished() throws IOException {
        Instant limit = Instant.now().minus(FRESH_LIMIT);
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, FRESH + "*")) {
            for (Path each : all) {
                if (time(each).toInstant().isBefore(limit)) {
                    delete(each);
                }
            }
        }
    }

    private static FileTime time(Path path) {
        try {
            return Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            return FileTime.fromMillis(0);
        }
    }

    private static long size(Path folder) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                bytes += Files.size(file);
            }
        } catch (NoSuchFileException e) {
            return bytes;
        }
        return bytes;
    }

    /** Throws one away, with the files in it. */
    static void delete(Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException e) {
            return;
        }
        Files.deleteIfExists(folder);
    }

    /** Writes a new file. */
    static void write(Path file, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), rights(file, "rw-------"))) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    private static FileAttribute<?>[] rights(Path path, String rights) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights))}
                : new FileAttribute<?>[0];
    }
}
