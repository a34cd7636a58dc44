package net.oooops.sigma.control;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files once a second, from a thread of its own, and says when they have changed and then stayed as they are for one look more: whoever writes
 * several has had the time to. By what a path leads to, through all links, as {@link NodesFileWatch} does.
 *
 * <p>{@link #look} is for one thread.
 */
public final class FilesWatch implements AutoCloseable {
    static final Duration LOOK = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(FilesWatch.class);

    private final Supplier<List<Path>> files;
    private final Runnable onChange;
    private Map<Path, FileStamp> told;
    private Map<Path, FileStamp> seen;
    private volatile boolean closed;

    /**
     * Has seen them as they are. That is told as a change once they have settled: they may have changed between when they were read and now.
     *
     * @param files those to look at, asked before each look
     * @param onChange called on the thread that looks
     */
    FilesWatch(Supplier<List<Path>> files, Runnable onChange) {
        this.files = files;
        this.onChange = onChange;
        this.seen = stamps(Map.of());
        this.told = Map.of();
    }

    /** Watches until it is closed; the parameters as above. */
    public static FilesWatch start(Supplier<List<Path>> files, Runnable onChange) {
        FilesWatch watch = new FilesWatch(files, onChange);
        Thread.ofPlatform().daemon().name("sigma-files-watch").start(watch::run);
        return watch;
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, LOOK.toNanos());
            if (!closed) {
                look();
            }
        }
    }

    /** Looks at all of them. */
    void look() {
        try {
            Map<Path, FileStamp> now = stamps(Map.of());
            boolean settled = now.equals(seen);
            seen = now;
            if (settled && !now.equals(told)) {
                onChange.run();
                // Others may belong to it since; what of the same ones has changed meanwhile is seen at the next look.
                told = stamps(now);
                seen = told;
            }
        } catch (RuntimeException e) {
            LOG.error("the files of the configuration could not be looked at", e);
        }
    }

    /** @param known what was seen of some: these aren't looked at */
    private Map<Path, FileStamp> stamps(Map<Path, FileStamp> known) {
        Map<Path, FileStamp> stamps = new LinkedHashMap<>();
        for (Path file : files.get()) {
            FileStamp before = known.get(file);
            stamps.put(file, before == null ? FileStamp.of(file) : before);
        }
        return stamps;
    }

    /** Ends it; returns at once. */
    @Override
    public void close() {
        closed = true;
    }
}
