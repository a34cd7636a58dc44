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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder of all histories: for its owner alone, as all in it, and of bounded size. One thread at a time in a process; other processes may use it, too.
 *
 * <p>Each reload asks it: it is listed once for that, and what is kept in it is measured once, since nobody changes that.
 */
final class Shelf {
    private static final String FRESH = ".new-";
    private static final int DIGITS_MAX = 9;
    /** What was begun and not ended for so long is of a process that died meanwhile. */
    private static final Duration FRESH_LIMIT = Duration.ofHours(1);

    private final Path folder;
    private final long bytesMax;
    private final Pen pen;
    /** How much is in those that are kept, as far as it was asked. */
    private final Map<Path, Long> sizes = new HashMap<>();

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
    }

    /**
     * What was in it when it was listed.
     *
     * @param kept the folders of configurations
     * @param fresh those that have no name of their own yet
     */
    record Listing(List<Kept> kept, List<Path> fresh) {
        /** And what was added since. */
        Listing with(Kept added) {
            List<Kept> all = new ArrayList<>(kept);
            all.add(added);
            return new Listing(all, fresh);
        }

        /** Those of one gateway, the oldest first. */
        List<Kept> of(String name) {
            return kept.stream()
                    .filter(each -> each.name.equals(name))
                    .sorted(Comparator.comparingInt(Kept::number))
                    .toList();
        }
    }

    /**
     * A configuration that is kept.
     *
     * @param folder its files
     * @param name of its gateway
     * @param number of it
     */
    record Kept(Path folder, String name, int number) {}

    /** Where it is. */
    Path folder() {
        return folder;
    }

    /** So much may be in it. */
    long bytesMax() {
        return bytesMax;
    }

    /** Writes what is put into it. */
    Pen pen() {
        return pen;
    }

    /** That configuration of a gateway. */
    Kept place(String name, int number) {
        return new Kept(folder.resolve(name + "-" + number), name, number);
    }

    /** A new folder, to be given its name when all is in it. */
    Path fresh(String name) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, rights(folder, "rwx------"));
        }
        return Files.createTempDirectory(folder, FRESH + name, rights(folder, "rwx------"));
    }

    /** What is in it now. */
    Listing list() throws IOException {
        List<Kept> kept = new ArrayList<>();
        List<Path> fresh = new ArrayList<>();
        for (Path each : in(folder)) {
            String name = each.getFileName().toString();
            int dash = name.lastIndexOf('-');
            if (name.startsWith(FRESH)) {
                fresh.add(each);
            } else if (dash > 0 && isNumber(name, dash + 1)) {
                kept.add(new Kept(each, name.substring(0, dash), Integer.parseInt(name, dash + 1, name.length(), 10)));
            }
        }
        return new Listing(kept, fresh);
    }

    /** Whether that is one, from 1 on, at the end of a name. */
    private static boolean isNumber(String name, int begin) {
        int digits = name.length() - begin;
        if (digits < 1 || digits > DIGITS_MAX || name.charAt(begin) == '0') {
            return false;
        }
        return name.chars().skip(begin).allMatch(c -> c >= '0' && c <= '9');
    }

    /** What is in a folder; nothing where that isn't there. */
    private static List<Path> in(Path folder) throws IOException {
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
            stream.forEach(all::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
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
     * @param name of the gateway
     * @param most what may stay
     * @param now what is there
     * @throws IOException why the first of those that are to go, and are there still, can't be thrown away
     */
    void clear(String name, Most most, Listing now) throws IOException {
        Clearing clearing = new Clearing();
        List<Kept> own = now.of(name);
        own.subList(0, Math.max(0, own.size() - most.count)).forEach(each -> clearing.delete(each.folder));
        shrink(most, now.kept, clearing);
        Instant limit = Instant.now().minus(FRESH_LIMIT);
        for (Path each : now.fresh) {
            if (time(each).toInstant().isBefore(limit)) {
                clearing.delete(each);
            }
        }
        clearing.end();
    }

    /**
     * What may stay.
     *
     * @param count so many of one gateway
     * @param bytes so much of all
     * @param kept stays, whatever else has to go; null where nothing has to stay
     */
    record Most(int count, long bytes, @Nullable Kept kept) {}

    /** Throws the oldest of all away while they are larger together. */
    private void shrink(Most most, List<Kept> kept, Clearing clearing) throws IOException {
        List<Kept> all = new ArrayList<>(kept);
        all.removeIf(each -> clearing.gone.contains(each.folder));
        sizes.keySet().retainAll(all.stream().map(Kept::folder).toList());
        long bytes = 0;
        for (Kept each : all) {
            bytes += size(each.folder);
        }
        if (bytes <= most.bytes) {
            return;
        }
        all.sort(Comparator.comparing((Kept each) -> time(each.folder)).thenComparingInt(Kept::number));
        for (int i = 0; i < all.size() && bytes > most.bytes; i++) {
            if (!all.get(i).equals(most.kept)) {
                long size = size(all.get(i).folder);
                bytes -= clearing.delete(all.get(i).folder) ? size : 0;
            }
        }
    }

    /** Throws away what can be, and remembers what couldn't. */
    private final class Clearing {
        private final Set<Path> gone = new HashSet<>();
        private @Nullable IOException failed;

        boolean delete(Path folder) {
            // Where it fails, some of its files may be gone.
            sizes.remove(folder);
            try {
                Shelf.delete(folder);
                gone.add(folder);
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

    private long size(Path kept) throws IOException {
        Long known = sizes.get(kept);
        if (known != null) {
            return known;
        }
        long bytes = 0;
        for (Path file : in(kept)) {
            bytes += Files.size(file);
        }
        sizes.put(kept, bytes);
        return bytes;
    }

    /** Throws one away, with the files in it. */
    static void delete(Path folder) throws IOException {
        for (Path file : in(folder)) {
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
