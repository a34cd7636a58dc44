package net.oooops.sigma.health;

import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.health.CheckView.State;
import net.oooops.sigma.names.HostAddresses;
import org.jspecify.annotations.Nullable;

/**
 * The checks of one node, one after the other.
 *
 * <pre>
 *   DUE (in line) ──▶ ASKING ──▶ (decided) ── the rest of the wait ──▶ DUE
 * </pre>
 *
 * <p>Where the node's name has several addresses, checks ask them in turn; an unhealthy node is asked at an address that passed until it
 * is healthy.
 */
final class NodeCheck {
    /**
     * What is asked of whom.
     *
     * @param upstreamId of the node
     * @param node whom
     * @param config how often
     * @param probe what
     */
    record Subject(String upstreamId, NodeConfig node, ActiveCheckConfig config, Probe probe) {}

    private final HealthChecker checker;
    private final Vertx vertx;
    private final Subject subject;
    private final Standing standing;
    private final Waits waits;
    /** Of a node that is written as one. */
    private final List<InetAddress> literals;
    /** Of a node with a name. */
    private final @Nullable HostAddresses named;

    private int turn;
    private long beganNanos;
    private long timer = -1;
    private @Nullable Attempt attempt;
    private boolean stopped;
    /** How its node stands could not be told when it changed. */
    private boolean untold;

    private volatile CheckView view;

    NodeCheck(HealthChecker checker, Vertx vertx, Subject subject) {
        this.checker = checker;
        this.vertx = vertx;
        this.subject = subject;
        this.standing =
                new Standing(subject.config().healthyCount(), subject.config().unhealthyCount());
        this.waits = new Waits(subject.config().rhythm(), checker.chance());
        String host = subject.node().host();
        IpAddress literal = IpAddress.parse(host);
        this.literals = literal == null ? List.of() : List.of(literal.inetAddress());
        this.named = literal == null ? new HostAddresses(checker.names(), host) : null;
        this.view = new CheckView(subject.upstreamId(), name(), State.UNKNOWN, "", System.currentTimeMillis(), 0, 0, 0);
    }

    String name() {
        return subject.node().hostAndPort();
    }

    /** What is known. Any thread. */
    CheckView view() {
        return view;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Ends: what is under way is given up, and nothing more is told. */
    void stop() {
        stopped = true;
        vertx.cancelTimer(timer);
        if (named != null) {
            named.close();
        }
        Attempt current = attempt;
        if (current != null) {
            current.cancel();
        }
    }

    /** Its turn in the line has come; the checker is told when another's can. */
    void ask() {
        Attempt before = attempt;
        if (before != null) {
            // It passed long ago, and its node still sends.
            before.end();
        }
        beganNanos = System.nanoTime();
        Attempt begun = new Attempt(vertx, subject.config().rhythm().timeoutNanos(), new Ends());
        attempt = begun;
        HostAddresses names = named;
        if (names == null) {
            ask(begun, literals);
            return;
        }
        names.ask(new HostAddresses.Asker() {
            @Override
            public void onAddresses(List<InetAddress> addresses) {
                if (!begun.isOver()) {
                    ask(begun, addresses);
                }
            }

            @Override
            public void onUnresolved(Throwable cause) {
                begun.fail(Why.of(cause));
            }
        });
    }

    private void ask(Attempt begun, List<InetAddress> addresses) {
        int port = subject.config().port();
        subject.probe()
                .ask(
                        new InetSocketAddress(
                                addresses.get(turn % addresses.size()),
                                port == 0 ? subject.node().port() : port),
                        begun);
    }

    private void decided(boolean passed, String why) {
        long tookNanos = System.nanoTime() - beganNanos;
        boolean changed = standing.count(passed);
        if (!passed || standing.state() == State.HEALTHY) {
            turn = turn + 1 & Integer.MAX_VALUE;
        }
        CheckView before = view;
        view = new CheckView(
                before.upstreamId(),
                before.node(),
                standing.state(),
                why,
                changed ? System.currentTimeMillis() : before.sinceMillis(),
                before.passedCount() + (passed ? 1 : 0),
                before.failedCount() + (passed ? 0 : 1),
                passed ? tookNanos : before.latencyNanos());
        long leftNanos = waits.next(standing.state() == State.HEALTHY) - tookNanos;
        timer = vertx.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos)), fired -> checker.due(this));
        boolean news = untold || before.state() != view.state();
        untold = !checker.tell(view, passed, news) && news;
    }

    /** How its attempts end. */
    private final class Ends implements Attempt.Owner {
        @Override
        public void onPassed() {
            decided(true, "");
        }

        @Override
        public void onFailed(String why) {
            decided(false, why);
        }

        @Override
        public void onOver() {
            attempt = null;
            checker.over();
        }
    }
}
