package net.oooops.sigma.control.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder of all histories, a file for each configuration: for its owner alone, as all in it, and of bounded size. One thread at a time in a process; other
 * processes may use it, too.
 *
 * <p>Each reload asks it: it is listed once for that, and what is kept in it is measured once, since nobody changes that.
 */
final class Shelf {
    private static final int DIGITS_MAX = 9;
    private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    private static final Comparator<Kept> BY_NUMBER = Comparator.comparingInt(Kept::number);
    private static final Comparator<Kept> BY_AGE =
            Comparator.comparing(Kept::time).thenComparing(BY_NUMBER);

    private final Path folder;
    private final long bytesMax;
    private final Pen pen;
    private final FileAttribute<?>[] ofFolder;
    private final FileAttribute<?>[] ofFile;
    /** What is there, by the names of the files: as it was listed last, without what was thrown away since. */
    private Map<String, Kept> known = new HashMap<>();

    /**
     * One.
     *
     * @param folder where it is
     * @param bytesMax so much may be in it
     * @param pen writes what is put into it
     */
    Shelf(Path folder, long bytesMax, Pen pen) {
        this.folder = folder;
        this.bytesMax = bytesMax;
        this.pen = pen;
        this.ofFolder = rights("rwx------");
        this.ofFile = rights("rw-------");
    }

    private FileAttribute<?>[] rights(String rights) {
        return folder.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights))}
                : new FileAttribute<?>[0];
    }

    /**
     * A configuration that is kept.
     *
     * @param name of its gateway
     * @param number of it
     * @param bytes how long its file is
     * @param time at which that was written
     */
    record Kept(Path file, String name, int number, long bytes, FileTime time) {}

    /** How a new file is filled. */
    @FunctionalInterface
    interface Pen {
        void write(FileChannel to, List<byte[]> parts) throws IOException;
    }

    /** Where it is. */
    Path folder() {
        return folder;
    }

    /** So much may be in it. */
    long bytesMax() {
        return bytesMax;
    }

    /** Where that configuration of a gateway is. */
    Path file(String name, int number) {
        return folder.resolve(name + "-" + number);
    }

    /** What is there of one gateway now, the oldest first. */
    List<Kept> list(String name) throws IOException {
        Map<String, Kept> now = new HashMap<>();
        List<Kept> own = new ArrayList<>();
        for (Path file : files()) {
            String fileName = file.getFileName().toString();
            Kept before = known.get(fileName);
            Kept kept = before == null ? kept(file, fileName) : before;
            if (kept != null) {
                now.put(fileName, kept);
            }
            if (kept != null && kept.name.equals(name)) {
                own.add(kept);
            }
        }
        known = now;
        own.sort(BY_NUMBER);
        return own;
    }

    /** Null where that is no such file, or is gone. */
    private static @Nullable Kept kept(Path file, String fileName) throws IOException {
        int dash = fileName.lastIndexOf('-');
        if (dash <= 0 || !isNumber(fileName, dash + 1)) {
            return null;
        }
        int number = Integer.parseInt(fileName, dash + 1, fileName.length(), 10);
        try {
            BasicFileAttributes found =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return found.isRegularFile()
                    ? new Kept(file, fileName.substring(0, dash), number, found.size(), found.lastModifiedTime())
                    : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Whether that is one, from 1 on, at the end of a name. */
    private static boolean isNumber(String name, int begin) {
        int digits = name.length() - begin;
        if (digits < 1 || digits > DIGITS_MAX || name.charAt(begin) == '0') {
            return false;
        }
        for (int i = begin; i < name.length(); i++) {
            if (name.charAt(i) < '0' || name.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** All that is in it; nothing where it isn't there. */
    private List<Path> files() throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            return all(all);
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** All of them; what goes wrong while they are read isn't unchecked any more. */
    static List<Path> all(DirectoryStream<Path> stream) throws IOException {
        List<Path> all = new ArrayList<>();
        try {
            for (Path each : stream) {
                all.add(each);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
    }

    /**
     * Puts a new file there.
     *
     * @return whether its name was free: another process with the same sigma.json may have been quicker
     * @throws IOException where it can't be written; nothing is left of it then
     */
    boolean put(Path file, List<byte[]> parts) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, ofFolder);
        }
        boolean begun = false;
        boolean whole = false;
        try (FileChannel to = FileChannel.open(file, NEW, ofFile)) {
            begun = true;
            pen.write(to, parts);
            whole = true;
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } finally {
            if (begun && !whole) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** One right behind the other. */
    static void write(FileChannel to, List<byte[]> parts) throws IOException {
        for (byte[] each : parts) {
            ByteBuffer bytes = ByteBuffer.wrap(each);
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
        }
    }

    /**
     * Throws the oldest away until another one has its place, among those that were there when it was listed last. One that can't be keeps no other one.
     *
     * @param own those of one gateway, as they were listed
     * @param most so many of them may stay
     * @param bytes so much is to have a place
     * @throws IOException why the first of those that are to go, and are there still, can't be thrown away
     */
    void makeRoom(List<Kept> own, int most, long bytes) throws IOException {
        Clearing clearing = new Clearing();
        for (Kept each : own.subList(0, Math.max(0, own.size() - most))) {
            clearing.delete(each);
        }
        long left = bytesMax - bytes;
        for (Kept each : known.values()) {
            left -= each.bytes;
        }
        if (left < 0) {
            List<Kept> all = new ArrayList<>(known.values());
            all.sort(BY_AGE);
            for (int i = 0; i < all.size() && left < 0; i++) {
                left += clearing.delete(all.get(i)) ? all.get(i).bytes : 0;
            }
        }
        clearing.end();
    }

    /** Throws away what can be, and remembers what couldn't. */
    private final class Clearing {
        private @Nullable IOException failed;

        boolean delete(Kept kept) {
            try {
                Files.deleteIfExists(kept.file);
                known.remove(kept.file.getFileName().toString());
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
}
