package net.oooops.sigma.control;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.ask.LookingThread;
import net.oooops.sigma.config.NodeScheme;
import net.oooops.sigma.config.NodesFile;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files of nodes, from a thread of its own, once a second: by what a path leads to, through all links, so that a file is
 * written anew, put in the place of another, or reached through another link, as Kubernetes does. What is found wrong is said once,
 * and the last good list stays. A file that doesn't answer, as on a mount that is stuck, keeps the others waiting for a moment only, and is read once it
 * does. Where there is no file, there is no thread, or it sleeps.
 *
 * <p>{@link #look} is for one thread; {@link #follow} and {@link #close} for any, one at a time.
 */
final class NodesFileWatch implements AutoCloseable {
    static final Duration LOOK = Duration.ofSeconds(1);
    /** Until there is something to look at, for which it is woken. */
    private static final Duration LONG = Duration.ofDays(1);

    private static final Logger LOG = LoggerFactory.getLogger(NodesFileWatch.class);

    private final CurrentNodes current;
    private volatile List<Watched> all = List.of();
    private final LookingThread thread = new LookingThread("sigma-nodes-files", LOG, this::lookNow);
    private boolean started;

    /** A file, and what was last seen of it. */
    static final class Watched {
        private final NodesFile file;
        private final NodeScheme scheme;
        private final Upstream upstream;
        private final CurrentNodes current;
        private @Nullable FileStamp seen;
        private boolean young;
        private @Nullable String said;
        /** Whether nothing is known of it now, which was said. */
        private boolean unanswered;

        private Watched(Path file, CurrentUpstream of, CurrentNodes current) {
            this.scheme = of.config().scheme();
            this.file = new NodesFile(file, scheme);
            this.upstream = of.upstream();
            this.current = current;
        }

        private boolean isFor(Path path, CurrentUpstream of) {
            return file.file().equals(path) && scheme == of.config().scheme() && upstream == of.upstream();
        }

        private void look() {
            FileStamp now;
            try {
                now = FileStamp.asked(file.file());
            } catch (FileAnswers.Unanswered e) {
                unanswered(file.file() + ": " + e.getReason());
                return;
            } catch (IOException e) {
                // It is being closed.
                return;
            }
            boolean changed = !now.equals(seen);
            if (!changed && !young) {
                return;
            }
            seen = now;
            young = now.isYoung();
            switch (file.read()) {
                case NodesFile.Content.Nodes found -> {
                    unanswered = false;
                    if (said != null) {
                        LOG.info("upstream {}: nodes-file {} is valid again", upstream.id(), file.file());
                        said = null;
                    }
                    current.replace(upstream, found.nodes());
                }
                case NodesFile.Content.Refused refused -> {
                    String why = refused.problems().getFirst().text(file.file().toString());
                    if (refused.unanswered()) {
                        unanswered(why);
                    } else {
                        unanswered = false;
                        refuse(why, changed);
                    }
                }
            }
        }

        /** What has changed in it nobody knows yet. Said once, however it is said that it doesn't answer. */
        private void unanswered(String why) {
            young = true;
            if (!unanswered) {
                unanswered = true;
                refuse(why, false);
            }
        }

        /** A fault of Sigma's own or of the JVM's. */
        private void failed(Throwable why) {
            young = true;
            String text = why.toString();
            if (!text.equals(said)) {
                said = text;
                LOG.error("upstream {}: its nodes-file could not be looked at", upstream.id(), why);
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

    /** Looks at nothing yet. */
    NodesFileWatch(CurrentNodes current) {
        this.current = current;
    }

    /** Looks at the files of these Upstreams from now on, at once; what was seen of those that were looked at before stays. */
    void follow(List<CurrentUpstream> upstreams) {
        List<Watched> before = all;
        List<Watched> now = new ArrayList<>();
        for (CurrentUpstream each : upstreams) {
            if (each.config().discovery() instanceof Discovery.OfFile(Path file)) {
                now.add(before.stream()
                        .filter(watched -> watched.isFor(file, each))
                        .findFirst()
                        .orElseGet(() -> new Watched(file, each, current)));
            }
        }
        if (now.equals(before)) {
            return;
        }
        all = List.copyOf(now);
        if (!started) {
            started = true;
            thread.start();
        } else {
            thread.wake();
        }
    }

    private Duration lookNow() {
        look();
        return all.isEmpty() ? LONG : LOOK;
    }

    /** Looks at all files. */
    void look() {
        for (Watched each : all) {
            try {
                each.look();
            } catch (RuntimeException | Error e) {
                each.failed(e);
            }
        }
    }

    /** Ends it; returns at once. */
    @Override
    public void close() {
        thread.closeAfterLook();
    }
}
