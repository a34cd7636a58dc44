package net.oooops.sigma.control.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import net.oooops.sigma.config.ConfigText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last configurations of one gateway that took effect, in a folder that it shares with others: a file for each, which counts once it is whole
 * ({@link EntryFile}). {@value #ENTRIES_MAX} are kept of a gateway, and {@value #BYTES_MAX} bytes of all together, the oldest go first. A gateway that is started
 * again with the same sigma.json goes on with what it had.
 *
 * <p>Any thread. Nothing that goes wrong with files stops whoever adds to it: it is a warning of the log.
 */
public final class History {
    /** So many are kept of one gateway. */
    public static final int ENTRIES_MAX = 20;

    /** So much is kept of all. */
    public static final long BYTES_MAX = 64L << 20;

    private static final int NAME_CHARS = 16;
    private static final int TRIES_MAX = 100;
    private static final Logger LOG = LoggerFactory.getLogger(History.class);

    private final Shelf shelf;
    private final String name;
    /** The one that was added last: it need not be read to be compared with. Under the monitor. */
    private @Nullable Entry last;

    private History(Shelf shelf, String name) {
        this.shelf = shelf;
        this.name = name;
    }

    /**
     * That of a gateway.
     *
     * @param folder which is made when there is something to keep
     * @param gateway what tells it from others: the path of its sigma.json
     */
    public static History of(Path folder, String gateway) {
        return of(folder, gateway, BYTES_MAX);
    }

    static History of(Path folder, String gateway, long bytesMax) {
        return of(new Shelf(folder, bytesMax, Shelf::write), gateway);
    }

    static History of(Shelf shelf, String gateway) {
        String name = FileHash.of(gateway.getBytes(StandardCharsets.UTF_8)).substring(0, NAME_CHARS);
        return new History(shelf, name);
    }

    /**
     * A configuration took effect. Where it is the same as the last one, nothing is added.
     *
     * @param who had it do so
     * @param files that it was read from, without those that only hold secrets
     * @return its number, or none where it couldn't be kept
     */
    public synchronized OptionalInt add(Instant at, String who, List<ConfigText> files) {
        return add(at, who, files, FileHash.of(files));
    }

    /**
     * The same.
     *
     * @param hash of the files
     */
    public synchronized OptionalInt add(Instant at, String who, List<ConfigText> files, String hash) {
        try {
            List<Shelf.Kept> own = shelf.list(name);
            Entry before = newest(own);
            if (before != null && before.hash().equals(hash)) {
                return OptionalInt.of(before.number());
            }
            int number = own.isEmpty() ? 1 : own.getLast().number() + 1;
            List<Path> paths = files.stream().map(ConfigText::path).toList();
            Entry entry = new Entry(number, at, who, hash, paths);
            List<byte[]> parts = EntryFile.parts(entry, files);
            long bytes = bytes(parts);
            if (bytes > shelf.bytesMax()) {
                LOG.warn(
                        "history: {} bytes of configuration are too many to keep (expected: at most {})",
                        bytes,
                        shelf.bytesMax());
                return OptionalInt.empty();
            }
            last = entry.numbered(putAndMakeRoom(number, parts, own));
            return OptionalInt.of(last.number());
        } catch (IOException e) {
            LOG.warn("history in {}: the configuration isn't kept ({})", shelf.folder(), reason(e));
            return OptionalInt.empty();
        }
    }

    /** On a full disk the oldest, which are to go anyway, are in the way. */
    private int putAndMakeRoom(int number, List<byte[]> parts, List<Shelf.Kept> own) throws IOException {
        int taken;
        try {
            taken = put(number, parts);
        } catch (IOException e) {
            makeRoom(own, bytes(parts));
            return put(number, parts);
        }
        makeRoom(own, bytes(parts));
        return taken;
    }

    private static long bytes(List<byte[]> parts) {
        long bytes = 0;
        for (byte[] each : parts) {
            bytes += each.length;
        }
        return bytes;
    }

    private void makeRoom(List<Shelf.Kept> own, long bytes) {
        try {
            shelf.makeRoom(own, ENTRIES_MAX - 1, bytes);
        } catch (IOException e) {
            LOG.warn("history in {}: old configurations aren't thrown away ({})", shelf.folder(), reason(e));
        }
    }

    /** Gives the number that it has: others may be another process's. */
    private int put(int number, List<byte[]> parts) throws IOException {
        for (int i = 0; i < TRIES_MAX; i++) {
            if (shelf.put(shelf.file(name, number + i), parts)) {
                return number + i;
            }
        }
        throw new FileAlreadyExistsException(shelf.file(name, number).toString());
    }

    /** Those that are kept, the last one first. What can't be read is left out. */
    public synchronized List<Entry> list() {
        try {
            return entries();
        } catch (IOException e) {
            LOG.warn("history in {}: can't be read ({})", shelf.folder(), reason(e));
            return List.of();
        }
    }

    /**
     * The files of one, in the order in which they were added.
     *
     * @throws NotKept where there is none of that number, or it isn't what it was
     */
    public synchronized List<ConfigText> get(int number) throws NotKept {
        List<Entry> all = list();
        Entry entry = all.stream()
                .filter(each -> each.number() == number)
                .findFirst()
                .orElseThrow(
                        () -> new NotKept("configuration " + number + ": not kept (expected: " + expected(all) + ")"));
        List<ConfigText> files;
        try {
            files = EntryFile.texts(shelf.file(name, number), entry);
        } catch (IOException e) {
            throw new NotKept("configuration " + number + ": can't be read (" + reason(e) + ")");
        }
        if (!FileHash.of(files).equals(entry.hash())) {
            throw new NotKept(
                    "configuration " + number + ": isn't as it was kept (expected: SHA-256 " + entry.hash() + ")");
        }
        return files;
    }

    private static String expected(List<Entry> all) {
        return all.isEmpty()
                ? "none is"
                : all.size() == 1
                        ? String.valueOf(all.getFirst().number())
                        : all.getLast().number() + " to " + all.getFirst().number();
    }

    private List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Shelf.Kept kept : shelf.list(name).reversed()) {
            Entry entry = EntryFile.entry(kept.file(), kept.number());
            if (entry != null) {
                entries.add(entry);
            }
        }
        return entries;
    }

    /** The last one that can be read; null where there is none. */
    private @Nullable Entry newest(List<Shelf.Kept> own) {
        Entry added = last;
        for (Shelf.Kept kept : own.reversed()) {
            if (added != null && added.number() == kept.number()) {
                return added;
            }
            Entry entry = EntryFile.entry(kept.file(), kept.number());
            if (entry != null) {
                return entry;
            }
        }
        return null;
    }

    private static String reason(IOException e) {
        String reason = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
        return reason == null ? e.getClass().getSimpleName() : reason;
    }
}
