package net.oooops.sigma.control;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import net.oooops.sigma.ask.LookingThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files once a second, from a thread of its own, and says when they have changed and then stayed as they are for one look more: whoever writes
 * several has had the time to. By what a path leads to, through all links, as {@link NodesFileWatch} does. Which files these are may change: one that is
 * new among them is no change, whether it is there or not, until it is another than it was when it was first looked at. Only where it was written since the
 * look before, it may have been read before that.
 *
 * <p>{@link #look} is for one thread; {@link #close} for any.
 */
public final class FilesWatch implements AutoCloseable {
    static final Duration LOOK = Duration.ofSeconds(1);

    /** No file is so. */
    private static final FileStamp OTHER = new FileStamp(null, null, -1, null);

    /** As coarse may the time of a file be. */
    static final long COARSE_MILLIS = 20;

    private static final Logger LOG = LoggerFactory.getLogger(FilesWatch.class);

    private final Supplier<List<Path>> files;
    private final Runnable onChange;
    private final LookingThread thread = new LookingThread("sigma-files-watch", LOG, this::lookNow);

    /** As they were when they were last told as changed; null before the first time. */
    private @Nullable Map<Path, FileStamp> told;

    /** As they were at the last look; null before the first one. */
    private @Nullable Map<Path, FileStamp> seen;

    /** When they were last looked at, by the clock of files. */
    private long lookedMillis;

    /**
     * Has seen nothing. What it sees first is told as a change once it has settled: it may have changed between when it was read and then.
     *
     * @param files those to look at, asked before each look
     * @param onChange called on the thread that looks; where it fails, it is called again when they have changed once more
     */
    FilesWatch(Supplier<List<Path>> files, Runnable onChange) {
        this.files = files;
        this.onChange = onChange;
    }

    /** Watches until it is closed; the parameters as above. */
    public static FilesWatch start(Supplier<List<Path>> files, Runnable onChange) {
        FilesWatch watch = new FilesWatch(files, onChange);
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
        Map<Path, FileStamp> now = stamps();
        Map<Path, FileStamp> before = seen;
        Map<Path, FileStamp> known = told;
        boolean settled = before != null && !isOther(before, now);
        seen = now;
        if (settled && (known == null || isOther(known, now))) {
            tell(now);
        } else if (known != null) {
            told = known(known, now, sinceMillis);
        }
    }

    private void tell(Map<Path, FileStamp> now) {
        try {
            onChange.run();
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
        Map<Path, FileStamp> stamps = new LinkedHashMap<>();
        for (Path file : files.get()) {
            stamps.put(file, FileStamp.of(file));
        }
        return stamps;
    }

    /** Ends it; returns at once: what was told of a change may still be at it. */
    @Override
    public void close() {
        thread.closeAfterLook();
    }
}
