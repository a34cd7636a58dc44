package net.oooops.sigma.control;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.ask.LookingThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files once a second, from a thread of its own, and says when they have changed and then stayed as they are for one look more: whoever writes
 * several has had the time to. By what a path leads to, through all links, as {@link NodesFileWatch} does. Which files these are may change: one that is
 * new among them is no change, whether it is there or not, until it is another than it was when it was first looked at. Only where it was written since the
 * look before, it may have been read before that. One that doesn't answer counts as unchanged until it does; one that never has is another one then.
 *
 * <p>{@link #look} is for one thread; {@link #close} for any.
 */
public final class FilesWatch implements AutoCloseable {
    static final Duration LOOK = Duration.ofSeconds(1);

    /** After so many looks at most, those that answer too late are read again. */
    static final int LONGEST_PAUSE = 60;

    /** No file is so. */
    private static final FileStamp OTHER = new FileStamp(null, null, -1, null);

    /** As coarse may the time of a file be. */
    static final long COARSE_MILLIS = 20;

    private static final Logger LOG = LoggerFactory.getLogger(FilesWatch.class);

    private final Supplier<List<Path>> files;
    private final BooleanSupplier isToBeRead;
    private final BooleanSupplier onChange;
    private final LookingThread thread = new LookingThread("sigma-files-watch", LOG, this::lookNow);

    /** As they were when they were last told as changed; null before the first time. */
    private @Nullable Map<Path, FileStamp> told;

    /** As they were at the last look; null before the first one. */
    private @Nullable Map<Path, FileStamp> seen;

    /** Those that didn't answer when they were last looked at. */
    private final Set<Path> unanswered = new HashSet<>();

    /** Whether one didn't answer when they were read, or they are to be read: they are read again once all answer, changed or not. */
    private boolean unread;

    /** For how many looks they aren't read again after that: one that is quick to be looked at may be slow to be read each time. */
    private int pause = 1;

    /** How many of these there are still to be. */
    private int pauseLeft;

    /** When they were last looked at, by the clock of files. */
    private long lookedMillis;

    /**
     * Has seen nothing. What it sees first is told as a change once it has settled: it may have changed between when it was read and then.
     *
     * @param files those to look at, asked before each look
     * @param isToBeRead asked at each look; where it is so, that is told once all of them answer, whether one has changed or not
     * @param onChange reads them, called on the thread that looks; gives whether all of them have answered. Where it fails, it is called again when they
     *     have changed once more
     */
    FilesWatch(Supplier<List<Path>> files, BooleanSupplier isToBeRead, BooleanSupplier onChange) {
        this.files = files;
        this.isToBeRead = isToBeRead;
        this.onChange = onChange;
    }

    /** Watches until it is closed; the parameters as above. */
    public static FilesWatch start(Supplier<List<Path>> files, BooleanSupplier isToBeRead, BooleanSupplier onChange) {
        FilesWatch watch = new FilesWatch(files, isToBeRead, onChange);
        watch.thread.start();
        return watch;
    }

    private Duration lookNow() {
        look();
        return LOOK;
    }

    /** Looks at all of them. */
    void look() {
        long sinceMillis = lookedMillis;
        lookedMillis = System.currentTimeMillis() - COARSE_MILLIS;
        pauseLeft = Math.max(0, pauseLeft - 1);
        if (isToBeRead.getAsBoolean()) {
            unread = true;
            pause = 1;
            pauseLeft = 0;
        }
        Map<Path, FileStamp> now = stamps();
        Map<Path, FileStamp> before = seen;
        Map<Path, FileStamp> known = told;
        boolean settled = before != null && !isOther(before, now);
        seen = now;
        boolean other = known == null || isOther(known, now);
        if (settled && (other || isAgain())) {
            pause = other ? 1 : Math.min(2 * pause, LONGEST_PAUSE);
            pauseLeft = pause;
            tell(now);
        } else if (known != null) {
            told = known(known, now, sinceMillis);
        }
    }

    private boolean isAgain() {
        return unread && pauseLeft == 0 && unanswered.isEmpty();
    }

    private void tell(Map<Path, FileStamp> now) {
        boolean asked = unread;
        try {
            unread = !onChange.getAsBoolean();
        } catch (RuntimeException | Error e) {
            // Whoever asked for that won't ask once more.
            unread = asked;
            throw e;
        } finally {
            // Others may belong to it since; what of the same ones has changed meanwhile is seen at the next look.
            told = known(now, stamps(), lookedMillis);
            seen = told;
        }
    }

    /** Whether one that is in both isn't the same in both. */
    private static boolean isOther(Map<Path, FileStamp> before, Map<Path, FileStamp> now) {
        return now.entrySet().stream()
                .anyMatch(each -> !each.getValue().equals(before.getOrDefault(each.getKey(), each.getValue())));
    }

    /** Those that there are now: as they were before; where they are new, as they are now, unless they were written since. */
    private static Map<Path, FileStamp> known(Map<Path, FileStamp> before, Map<Path, FileStamp> now, long sinceMillis) {
        Map<Path, FileStamp> all = new LinkedHashMap<>(now);
        all.replaceAll((file, stamp) -> {
            FileStamp first = stamp.isSince(sinceMillis) ? OTHER : stamp;
            return before.getOrDefault(file, first);
        });
        return all;
    }

    private Map<Path, FileStamp> stamps() {
        Map<Path, FileStamp> before = seen == null ? Map.of() : seen;
        Map<Path, FileStamp> stamps = new LinkedHashMap<>();
        for (Path file : files.get()) {
            stamps.put(file, stamp(file, before.getOrDefault(file, OTHER)));
        }
        unanswered.retainAll(stamps.keySet());
        return stamps;
    }

    private FileStamp stamp(Path file, FileStamp before) {
        try {
            FileStamp now = FileStamp.asked(file);
            if (unanswered.remove(file)) {
                LOG.info("{}: answers again", file);
            }
            return now;
        } catch (FileAnswers.Unanswered e) {
            if (unanswered.add(file)) {
                LOG.warn("{}: {}; whether it has changed is seen once it does", file, e.getReason());
            }
        } catch (IOException e) {
            LOG.debug("{}: closed while it was looked at", file, e);
        }
        return before;
    }

    /** Ends it; returns at once: what was told of a change may still be at it. */
    @Override
    public void close() {
        thread.closeAfterLook();
    }
}
