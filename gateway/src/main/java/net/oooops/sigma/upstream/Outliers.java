package net.oooops.sigma.upstream;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import net.oooops.sigma.upstream.Node.State;
import org.jspecify.annotations.Nullable;

/**
 * Finds the nodes of an {@link Upstream} that are worse than its others, by what all Workers have counted of them: those that nobody hears
 * of, that fail more often, or that answer more slowly.
 *
 * <p>Always the same thread, but {@link #usualNanos}.
 */
final class Outliers {
    /** A node that fails this much more often than the others, of all its requests, is an outlier. */
    private static final double FAILING_MORE = 0.2;
    /** As is one whose answers take so many times as long, and so much longer, as those of the others. */
    private static final double SLOWER_TIMES = 4;

    private static final double SLOWER_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    /** So many requests have to wait for a silent node. */
    private static final int SILENT_MIN = 3;

    private final Map<Node, NodeWindow> windows = new HashMap<>();
    /** The mean of all answers, in the last interval that had some. */
    private volatile long usualNanos;

    /** What nodes have done together. */
    private static final class Sum {
        private long requests;
        private long failures;
        private long answers;
        private long boundedNanos;

        void add(NodeWindow window, int sign) {
            requests += sign * window.requests;
            failures += sign * window.failures;
            answers += sign * window.answers;
            boundedNanos += sign * window.boundedNanos;
        }
    }

    /** How long an answer usually takes; any thread. 0 where that isn't known. */
    long usualNanos() {
        return usualNanos;
    }

    /**
     * Nodes that nobody hears of, while others answer.
     *
     * @param silenceNanos for how long
     */
    static void silent(List<Node> nodes, long silenceNanos, long nowNanos, Consumer<Node> found) {
        boolean sought = false;
        boolean heard = false;
        for (Node node : nodes) {
            sought |= isSilent(node, silenceNanos, nowNanos);
            heard |= isHeard(node);
        }
        if (!sought || !heard) {
            return;
        }
        for (Node node : nodes) {
            if (isSilent(node, silenceNanos, nowNanos)) {
                found.accept(node);
            }
        }
    }

    private static boolean isSilent(Node node, long silenceNanos, long nowNanos) {
        return node.state() == State.AVAILABLE
                && waitingCount(node) >= SILENT_MIN
                && nowNanos - answeredNanos(node) >= silenceNanos;
    }

    /** Whether it answers what it is asked. It needn't be asked just now: all clients may wait for silent ones. */
    private static boolean isHeard(Node node) {
        return node.isAvailable() && !node.isSuspect() && waitingCount(node) == 0 && answeredNanos(node) != 0;
    }

    private static long waitingCount(Node node) {
        long waiting = 0;
        for (NodeTally tally : node.tallies()) {
            waiting += tally.silent();
        }
        return waiting;
    }

    private static long answeredNanos(Node node) {
        long last = 0;
        for (NodeTally tally : node.tallies()) {
            long answered = tally.answeredNanos();
            last = last == 0 || (answered != 0 && answered - last > 0) ? answered : last;
        }
        return last;
    }

    /**
     * Nodes that fail more often, or answer more slowly, than the others.
     *
     * @param requestsMin those that were asked less often since this was done last aren't compared
     * @param found told of each, and why; where the node is available no longer then, the next ones aren't compared with it
     */
    void compare(List<Node> nodes, int requestsMin, BiConsumer<Node, Cause> found) {
        read(nodes);
        Sum all = new Sum();
        for (Node node : nodes) {
            NodeWindow window = window(node);
            window.compared = node.state() == State.AVAILABLE;
            if (window.compared) {
                all.add(window, 1);
            }
        }
        for (Node node : nodes) {
            NodeWindow window = window(node);
            if (!window.compared) {
                continue;
            }
            all.add(window, -1);
            Cause why = window.requests >= requestsMin ? compare(window, all, requestsMin) : null;
            if (why != null) {
                found.accept(node, why);
            }
            if (node.state() == State.AVAILABLE) {
                all.add(window, 1);
            }
        }
    }

    private void read(List<Node> nodes) {
        windows.keySet().retainAll(new HashSet<>(nodes));
        long answers = 0;
        long latencyNanos = 0;
        for (Node node : nodes) {
            NodeWindow window = window(node);
            window.read();
            answers += window.answers;
            latencyNanos += window.latencyNanos;
        }
        usualNanos = answers == 0 ? usualNanos : latencyNanos / answers;
    }

    private NodeWindow window(Node node) {
        return windows.computeIfAbsent(node, NodeWindow::new);
    }

    private static @Nullable Cause compare(NodeWindow one, Sum others, int requestsMin) {
        if (others.requests < requestsMin || others.answers == 0) {
            return null;
        }
        double failing = (double) one.failures / one.requests;
        double othersFailing = (double) others.failures / others.requests;
        if (failing > 2 * othersFailing + FAILING_MORE) {
            return Cause.FAILING;
        }
        double mean = one.answers == 0 ? 0 : (double) one.boundedNanos / one.answers;
        double othersMean = (double) others.boundedNanos / others.answers;
        return mean > SLOWER_TIMES * othersMean && mean > othersMean + SLOWER_NANOS ? Cause.SLOW : null;
    }
}
