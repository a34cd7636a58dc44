package net.oooops.sigma.control.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The folder of all histories: for its owner alone, as all in it, and of bounded size. One thread at a time in a process; other processes may use it, too.
 *
 * @param folder where it is
 * @param bytesMax so much may be in it
 * @param pen writes what is put into it
 */
record Shelf(Path folder, long bytesMax, Pen pen) {
    private static final String FRESH = ".new-";
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");
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
        return in(folder, glob).stream().filter(each -> number(each) > 0).toList();
    }

    /** What is in a folder; nothing where that isn't there. */
    private static List<Path> in(Path folder, String glob) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, glob)) {
            return all(all);
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** All of them; what goes wrong while they are read isn't unchecked any more. */
    static List<Path> all(DirectoryStream<Path> stream) throws IOException {
        List<Path> all = new ArrayList<>();
        try {
            stream.forEach(all::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
    }

    /** The number at the end of a folder's name, 0 where there is none. */
    static int number(Path folder) {
        String name = folder.getFileName().toString();
        Matcher digits = NUMBER.matcher(name.substring(name.lastIndexOf('-') + 1));
        return digits.matches() ? Integer.parseInt(digits.group()) : 0;
    }

    /** A file of one, which isn't longer than all may be. */
    byte[] read(Path file) throws IOException {
        if (Files.size(file) > bytesMax) {
            throw new IOException("a file that is too long");
        }
        return Files.readAllBytes(file);
    }

    /**
     * Throws the oldest away, where there are too many of one gateway, or where all are too large together. One that can't be keeps no other one.
     *
     * @param countMax so many of one gateway may stay
     * @param bytesFree so much has to be free, of what all may have
     * @param kept stays, whatever else has to go; null where nothing has to stay
     * @throws IOException why the first of those that are to go, and are there still, can't be thrown away
     */
    void clear(String name, int countMax, long bytesFree, @Nullable Path kept) throws IOException {
        Clearing clearing = new Clearing();
        List<Path> own = new ArrayList<>(of(name));
        own.sort(Comparator.comparingInt(Shelf::number));
        own.subList(0, Math.max(0, own.size() - countMax)).forEach(clearing::delete);
        shrink(bytesMax - bytesFree, kept, clearing);
        Instant limit = Instant.now().minus(FRESH_LIMIT);
        for (Path each : in(folder, FRESH + "*")) {
            if (time(each).toInstant().isBefore(limit)) {
                clearing.delete(each);
            }
        }
        clearing.end();
    }

    /** Throws the oldest of all away while they are larger together. */
    private void shrink(long most, @Nullable Path kept, Clearing clearing) throws IOException {
        List<Path> all = new ArrayList<>(matching("*-*"));
        long bytes = 0;
        for (Path each : all) {
            bytes += size(each);
        }
        if (bytes <= most) {
            return;
        }
        all.sort(Comparator.comparing(Shelf::time).thenComparingInt(Shelf::number));
        for (int i = 0; i < all.size() && bytes > most; i++) {
            if (!all.get(i).equals(kept)) {
                long size = size(all.get(i));
                bytes -= clearing.delete(all.get(i)) ? size : 0;
            }
        }
    }

    /** Throws away what can be, and remembers what couldn't. */
    private static final class Clearing {
        private @Nullable IOException failed;

        boolean delete(Path folder) {
            try {
                Shelf.delete(folder);
                return true;
            } catch (IOException e) {
                failed = failed == null ? e : failed;
                return false;
            }
        }

        void end() throws IOException {
            if (failed != null) {
                throw failed;
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
        for (Path file : in(folder, "*")) {
            bytes += Files.size(file);
        }
        return bytes;
    }

    /** Throws one away, with the files in it. */
    static void delete(Path folder) throws IOException {
        for (Path file : in(folder, "*")) {
            Files.deleteIfExists(file);
        }
        Files.deleteIfExists(folder);
    }

    /** How a new file is written. */
    @FunctionalInterface
    interface Pen {
        void write(Path file, byte[] content) throws IOException;
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
