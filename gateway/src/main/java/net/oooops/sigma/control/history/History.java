package net.oooops.sigma.control.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.control.socket.PlainJson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last configurations of one gateway that took effect, in a folder that it shares with others: there is a folder for each, made under another name and
 * then given its own, so that nobody sees half of one. {@value #ENTRIES_MAX} are kept of a gateway, and {@value #BYTES_MAX} bytes of all together, the oldest go
 * first. A gateway that is started again with the same sigma.json goes on with what it had.
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
    private static final String ENTRY = "entry.json";
    private static final int ENTRY_BYTES_MAX = 1 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(History.class);

    private final Shelf shelf;
    private final String name;

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
            Shelf.Listing now = shelf.list();
            Entry before = newest(now);
            if (before != null && before.hash().equals(hash)) {
                return OptionalInt.of(before.number());
            }
            List<Path> paths = files.stream().map(ConfigText::path).toList();
            long bytes = bytes(files);
            if (bytes > shelf.bytesMax()) {
                LOG.warn(
                        "history: {} bytes of configuration are too many to keep (expected: at most {})",
                        bytes,
                        shelf.bytesMax());
                return OptionalInt.empty();
            }
            int number = putOrMakeRoom(new Entry(0, at, who, hash, paths), files, now);
            Shelf.Kept kept = shelf.place(name, number);
            clear(new Shelf.Most(ENTRIES_MAX, shelf.bytesMax(), kept), now.with(kept));
            return OptionalInt.of(number);
        } catch (IOException e) {
            LOG.warn("history in {}: the configuration isn't kept ({})", shelf.folder(), reason(e));
            return OptionalInt.empty();
        }
    }

    /** On a full disk the oldest, which are to go anyway, are in the way. */
    private int putOrMakeRoom(Entry entry, List<ConfigText> files, Shelf.Listing now) throws IOException {
        List<Shelf.Kept> own = now.of(name);
        int number = own.isEmpty() ? 1 : own.getLast().number() + 1;
        try {
            return put(number, entry, files);
        } catch (IOException e) {
            clear(new Shelf.Most(ENTRIES_MAX - 1, shelf.bytesMax() - bytes(files), null), now);
            return put(number, entry, files);
        }
    }

    private static long bytes(List<ConfigText> files) {
        return files.stream().mapToLong(file -> file.bytes().length).sum();
    }

    private void clear(Shelf.Most most, Shelf.Listing now) {
        try {
            shelf.clear(name, most, now);
        } catch (IOException e) {
            LOG.warn("history in {}: old configurations aren't thrown away ({})", shelf.folder(), reason(e));
        }
    }

    private int put(int number, Entry entry, List<ConfigText> files) throws IOException {
        Path fresh = shelf.fresh(name);
        try {
            for (int i = 0; i < files.size(); i++) {
                shelf.pen().write(fresh.resolve(String.valueOf(i)), files.get(i).bytes());
            }
            shelf.pen().write(fresh.resolve(ENTRY), entry.json());
            for (int i = 0; i < TRIES_MAX; i++) {
                if (moved(fresh, shelf.place(name, number + i).folder())) {
                    return number + i;
                }
            }
            throw new FileAlreadyExistsException(
                    shelf.place(name, number).folder().toString());
        } catch (IOException e) {
            Shelf.delete(fresh);
            throw e;
        }
    }

    /** Whether that name was free: another process with the same sigma.json may have been quicker. */
    private static boolean moved(Path from, Path to) throws IOException {
        if (Files.exists(to)) {
            return false;
        }
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (DirectoryNotEmptyException | FileAlreadyExistsException e) {
            return false;
        } catch (FileSystemException e) {
            if (Files.exists(to)) {
                return false;
            }
            throw e;
        }
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
        List<ConfigText> files = new ArrayList<>();
        try {
            for (int i = 0; i < entry.files().size(); i++) {
                Path kept = shelf.place(name, number).folder().resolve(String.valueOf(i));
                files.add(new ConfigText(entry.files().get(i), shelf.read(kept)));
            }
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
        for (Shelf.Kept kept : shelf.list().of(name).reversed()) {
            Entry entry = entry(kept);
            if (entry != null) {
                entries.add(entry);
            }
        }
        return entries;
    }

    /** The last one that can be read; null where there is none. */
    private @Nullable Entry newest(Shelf.Listing now) {
        for (Shelf.Kept kept : now.of(name).reversed()) {
            Entry entry = entry(kept);
            if (entry != null) {
                return entry;
            }
        }
        return null;
    }

    private static @Nullable Entry entry(Shelf.Kept kept) {
        Path file = kept.folder().resolve(ENTRY);
        try {
            if (Files.size(file) > ENTRY_BYTES_MAX) {
                return null;
            }
            return Entry.of(kept.number(), PlainJson.read(Files.readAllBytes(file)));
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    private static String reason(IOException e) {
        String reason = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
        return reason == null ? e.getClass().getSimpleName() : reason;
    }
}
