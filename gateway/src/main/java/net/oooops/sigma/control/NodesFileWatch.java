package net.oooops.sigma.control;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.config.NodesFile;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files of nodes, from a thread of its own, once a second: by what a path leads to, through all links, so that a file is
 * written anew, put in the place of another, or reached through another link, as Kubernetes does. What is found wrong is said once,
 * and the last good list stays.
 *
 * <p>{@link #look} is for one thread.
 */
final class NodesFileWatch implements AutoCloseable {
    static final Duration LOOK = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(NodesFileWatch.class);

    private final List<Watched> all;
    private volatile boolean closed;

    /** A file, and what was last seen of it. */
    static final class Watched {
        private final NodesFile file;
        private final Upstream upstream;
        private final CurrentNodes current;
        private @Nullable FileStamp seen;
        private boolean young;
        private @Nullable String said;

        /** @param upstream whose nodes stand in it */
        Watched(NodesFile file, Upstream upstream, CurrentNodes current) {
            this.file = file;
            this.upstream = upstream;
            this.current = current;
        }

        private void look() {
            FileStamp now = FileStamp.of(file.file());
            boolean changed = !now.equals(seen);
            if (!changed && !young) {
                return;
            }
            seen = now;
            young = now.isYoung();
            switch (file.read()) {
                case NodesFile.Content.Nodes found -> {
                    if (said != null) {
                        LOG.info("upstream {}: nodes-file {} is valid again", upstream.id(), file.file());
                        said = null;
                    }
                    current.replace(upstream, found.nodes());
                }
                case NodesFile.Content.Refused refused ->
                    refuse(refused.problems().getFirst().text(file.file().toString()), changed);
            }
        }

        private void refuse(String why, boolean changed) {
            if (changed || !why.equals(said)) {
                upstream.freshness().failed();
            }
            if (!why.equals(said)) {
                said = why;
                LOG.warn(
                        "upstream {}: nodes-file {}; nodes kept: {}",
                        upstream.id(),
                        why,
                        upstream.nodes().size());
            }
        }
    }

    NodesFileWatch(List<Watched> all) {
        this.all = List.copyOf(all);
    }

    /** Watches until it is closed. */
    static NodesFileWatch start(List<Watched> all) {
        NodesFileWatch watch = new NodesFileWatch(all);
        Thread.ofPlatform().daemon().name("sigma-nodes-files").start(watch::run);
        return watch;
    }

    private void run() {
        while (!closed) {
            look();
            LockSupport.parkNanos(this, LOOK.toNanos());
        }
    }

    /** Looks at all files. */
    void look() {
        for (Watched each : all) {
            try {
                each.look();
            } catch (RuntimeException e) {
                LOG.error("upstream {}: its nodes-file could not be looked at", each.upstream.id(), e);
            }
        }
    }

    /** Ends it; returns at once. */
    @Override
    public void close() {
        closed = true;
    }
}
