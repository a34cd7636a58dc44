package net.oooops.sigma.upstream;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.config.PassiveConfig;
import net.oooops.sigma.upstream.Node.Spared;
import net.oooops.sigma.upstream.Node.Standing;
import net.oooops.sigma.upstream.Node.State;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules by which nodes of an {@link Upstream} leave it and come back, from the course of their own requests (passive health
 * checks, outlier detection). Counted over all Workers.
 *
 * <p>A node is ejected for a time that doubles with each ejection, never more of them than a share of all. Then single requests try
 * it out, and when enough of these went well it is used again, little by little.
 *
 * <p>Any thread, {@link #tick} always the same one.
 */
public final class Ejection {
    private static final Logger LOG = LoggerFactory.getLogger(Ejection.class);

    /** A node that kept well for so many times the first ejection's length begins anew with that. */
    private static final int KEPT_WELL = 20;

    private static final int DOUBLINGS_MAX = 20;
    /** Where no other node is well, an ejected one is tried out after that. */
    private static final long EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** A node that answers in so many times the usual time isn't silent. */
    private static final int SILENT_TIMES = 4;
    /** A node that is coming back has at least this share. */
    public static final double SHARE_MIN = 0.1;

    /** One that would be out, were there not as many already, has this share. */
    private static final double SPARED_SHARE = 0.05;

    private final Upstream upstream;
    private volatile PassiveConfig config;
    /**
     * How many places are taken of those that nodes may be out in at once: by each that isn't available and counts, and for a moment by one that is about to be ejected. A
     * place is taken before its node is moved, and left by whoever moves the node away from it.
     */
    private final AtomicInteger out = new AtomicInteger();

    /** How many of them there are: asked with each failure while there is no place. */
    private volatile int outMost;

    private final AtomicLong ejections = new AtomicLong();
    private final Outliers outliers = new Outliers();
    private long comparedNanos;

    Ejection(Upstream upstream, PassiveConfig config) {
        this.upstream = upstream;
        this.config = config;
    }

    /** Other settings hold from now on. What is known of the nodes stays; where nothing is to be held against them, until the next {@link #tick}. */
    void configure(PassiveConfig now) {
        config = now;
    }

    /** Nothing is held against nodes: none is out, and none that is tried out could fail. */
    private void forgive(long nowNanos) {
        for (Node node : upstream.nodes()) {
            boolean out = node.state() != State.AVAILABLE;
            if (out || node.isSpared()) {
                forget(node);
            }
            if (out) {
                returned(node, nowNanos);
            }
        }
    }

    /** How long a node may be silent before that is held against it; 0 where nothing is. */
    public long silenceNanos() {
        boolean never = !config.enabled() || config.silenceNanos() == 0;
        return never ? 0 : Math.max(config.silenceNanos(), SILENT_TIMES * outliers.usualNanos());
    }

    /** How many ejections there were. */
    public long count() {
        return ejections.get();
    }

    // Told of each try

    /**
     * A node's answer began.
     *
     * @param error whether it tells of an error of the node's own
     * @param trial of the request: see {@link #tryOut}
     */
    public void answered(Node node, boolean error, int trial, long nowNanos) {
        if (!error) {
            node.answeredWell();
            Spared spared = node.spared();
            if (spared != null && !isFoundByComparing(spared.why()) && node.spare(null)) {
                upstream.settle();
            }
            if (node.state() != State.AVAILABLE) {
                answeredWhileOut(node, trial, nowNanos);
            }
            return;
        }
        node.answered();
        int inRow = node.countError();
        if (trial != Node.NO_TRIAL) {
            trialFailed(node, trial, nowNanos);
        } else if (config.errorsMax() > 0 && inRow >= config.errorsMax()) {
            eject(node, Cause.ERRORS, nowNanos);
        }
    }

    /** A try failed: the connection couldn't be opened or was lost, or the answer couldn't be understood. */
    public void faulted(Node node, int trial, long nowNanos) {
        int inRow = node.countFault();
        if (trial != Node.NO_TRIAL) {
            trialFailed(node, trial, nowNanos);
        } else if (config.faultsMax() > 0 && inRow >= config.faultsMax()) {
            eject(node, Cause.FAULTS, nowNanos);
        }
    }

    /** An answer didn't come in time. */
    public void timedOut(Node node, int trial, long nowNanos) {
        int inRow = node.countTimeout();
        if (trial != Node.NO_TRIAL) {
            trialFailed(node, trial, nowNanos);
        } else if (config.timeoutsMax() > 0 && inRow >= config.timeoutsMax()) {
            eject(node, Cause.TIMEOUTS, nowNanos);
        }
    }

    /** A trial ended in a way that says nothing of the node, such as its client going away. */
    public void trialUndecided(Node node, int trial) {
        node.trials().end(trial);
    }

    /**
     * Whether the caller's request may try the node out; then it is the one that does. What becomes of it is told with the number of the trial: it
     * counts only for the time in which the node is tried out for the same ejection.
     *
     * @param harmless whether it could be sent again, should it fail
     * @return the number of the trial, or {@link Node#NO_TRIAL} where it is none
     */
    public int tryOut(Node node, boolean harmless, long nowNanos) {
        Standing now = node.standing();
        if (now.state() != State.TRIAL || node.isDown() || node.isBarred()) {
            return Node.NO_TRIAL;
        }
        // Where no such request comes for long, any will do.
        boolean fits = harmless || nowNanos - now.sinceNanos() > config.ejectionNanos();
        return fits ? node.trials().begin(nowNanos, config.ejectionNanos()) : Node.NO_TRIAL;
    }

    /** The part of its requests that the node takes now, above 0 and at most 1. */
    public double share(Node node, long nowNanos) {
        long from = node.warmFromNanos();
        if (from == 0) {
            return node.isSpared() ? SPARED_SHARE : 1;
        }
        double grown = (double) (nowNanos - from) / Math.max(1, config.slowStartNanos());
        return Math.clamp(grown, SHARE_MIN, 1);
    }

    private void answeredWhileOut(Node node, int trial, long nowNanos) {
        Standing now = node.standing();
        if (trial != Node.NO_TRIAL) {
            node.trials().end(trial);
        }
        if (now.isTriedBy(trial)) {
            if (node.trials().countPassed() >= config.trials()) {
                comeBack(node, now, nowNanos);
            }
        } else if (now.state() == State.EJECTED
                && (now.why() == Cause.SILENCE || now.why() == Cause.FAULTS || now.why() == Cause.TIMEOUTS)) {
            // A sign of life.
            toTrial(node, now, nowNanos);
            upstream.settle();
        }
    }

    private void comeBack(Node node, Standing from, long nowNanos) {
        Standing back = new Standing(State.AVAILABLE, from.why(), System.currentTimeMillis(), nowNanos, 0, false);
        if (node.move(from, back)) {
            leavePlace(from);
            node.forgetNews();
            returned(node, nowNanos);
            upstream.settle();
            LOG.info("upstream {} node {}: used again", upstream.id(), node.name());
        }
    }

    /** It may be used again: little by little. */
    void returned(Node node, long nowNanos) {
        // 0 means none.
        node.warmFrom(config.slowStartNanos() == 0 ? 0 : nowNanos == 0 ? 1 : nowNanos);
    }

    private void trialFailed(Node node, int trial, long nowNanos) {
        node.trials().end(trial);
        Standing now = node.standing();
        if (config.enabled() && now.isTriedBy(trial)) {
            out(node, now, Cause.TRIAL, isOneWell() ? 1 : 0, nowNanos);
        }
    }

    private void eject(Node node, Cause why, long nowNanos) {
        Standing now = node.standing();
        if (!config.enabled() || now.state() != State.AVAILABLE || node.isBarred()) {
            return;
        }
        if (!mayEject()) {
            if (node.spare(new Spared(why, nowNanos))) {
                upstream.settle();
            }
            return;
        }
        if (!out(node, now, why, 1, nowNanos)) {
            out.decrementAndGet();
        }
    }

    /**
     * The node leaves, unless another thread has moved it.
     *
     * @param counted 1 where its next ejection is to be longer for this one, else 0
     */
    private boolean out(Node node, Standing from, Cause why, int counted, long nowNanos) {
        int doublings = Math.clamp(node.ejectionCount() + counted - 1L, 0, DOUBLINGS_MAX);
        long nanos = Math.min(config.ejectionNanos() << doublings, config.ejectionNanosMax());
        if (nanos <= 0) {
            nanos = config.ejectionNanosMax();
        }
        // So that nodes that left together don't come back together.
        nanos += ThreadLocalRandom.current().nextLong(nanos / 10 + 1);
        boolean placed = from.state() == State.AVAILABLE || from.placed();
        Standing ejected =
                new Standing(State.EJECTED, why, System.currentTimeMillis(), nowNanos, nowNanos + nanos, placed);
        if (!node.move(from, ejected)) {
            return false;
        }
        if (!node.isCounted()) {
            // It left, or an operator had a word, while this was found out.
            uncount(node);
        }
        node.countEjections(counted);
        node.trials().beginAnew();
        node.warmFrom(0);
        node.spare(null);
        ejections.incrementAndGet();
        node.countEjection(why);
        upstream.settle();
        if (node.isNews(why)) {
            LOG.warn(
                    "upstream {} node {}: ejected for {} ms ({})",
                    upstream.id(),
                    node.name(),
                    TimeUnit.NANOSECONDS.toMillis(nanos),
                    why.text());
        }
        return true;
    }

    /** Takes one of the places of nodes that are out, where there is one. */
    private boolean mayEject() {
        return mayEject(outMost);
    }

    private boolean mayEject(int most) {
        int now = out.get();
        while (now < most) {
            if (out.compareAndSet(now, now + 1)) {
                return true;
            }
            now = out.get();
        }
        return false;
    }

    /**
     * It was worked out anew which nodes are used.
     *
     * @param count how many nodes there are but for those that an operator has barred
     * @param backup whether a backup is available: they are there to take over from all others
     */
    void settled(int count, boolean backup) {
        outMost = outMost(count, backup);
    }

    private int outMost(int count, boolean backup) {
        int percent = config.ejectedPercentMax();
        int share = percent > 0 && backup ? count : count * percent / 100;
        // Never the last one.
        return Math.min(count - 1, Math.max(percent == 0 ? 0 : 1, share));
    }

    /** An operator has had a word: what had the node ejected no longer counts. */
    void forget(Node node) {
        Standing now = node.standing();
        if (now.state() != State.AVAILABLE
                && node.move(now, new Standing(State.AVAILABLE, now.why(), System.currentTimeMillis(), 0, 0, false))) {
            leavePlace(now);
        }
        node.trials().beginAnew();
        node.forgetEjections();
        node.forgetNews();
        node.answeredWell();
        node.spare(null);
    }

    /**
     * A node takes the place of another one of the same host and port, in another Upstream: what that has shown holds for it. Before anybody knows it.
     *
     * @param alike whether it is spoken to in the same way: else whether it is well now is found out by the next request that may
     * @param count how many nodes there are by then but for those that an operator has barred
     */
    void takeOver(Node node, Node before, boolean alike, int count) {
        Standing was = before.standing();
        if (alike) {
            node.takeOver(before);
        }
        if (was.state() == State.AVAILABLE) {
            return;
        }
        boolean placed = node.isCounted();
        if (placed && !mayEject(Math.max(outMost, outMost(count, false)))) {
            return;
        }
        node.move(
                node.standing(),
                new Standing(
                        alike ? was.state() : State.TRIAL,
                        was.why(),
                        was.sinceMillis(),
                        was.sinceNanos(),
                        was.untilNanos(),
                        placed));
    }

    private void leavePlace(Standing before) {
        if (before.placed()) {
            out.decrementAndGet();
        }
    }

    private void uncount(Node node) {
        if (node.giveUpPlace()) {
            out.decrementAndGet();
        }
    }

    /** The nodes have changed, or what operators say of them: who is gone or barred leaves its place. One thread at a time. */
    void follow(List<Node> before, List<Node> now) {
        Set<Node> there = new HashSet<>(now);
        for (Node node : before) {
            if (!there.contains(node)) {
                node.leave();
            }
            if (!node.isCounted()) {
                uncount(node);
            }
        }
    }

    /** How many places are taken. */
    int outCount() {
        return out.get();
    }

    // Looked at now and then

    void tick(long nowNanos) {
        // Where those that are left fail, too, one that was ejected may be the only one that is well by now.
        boolean needed = !isOneWell();
        for (Node node : upstream.nodes()) {
            look(node, needed, nowNanos);
        }
        if (!config.enabled()) {
            forgive(nowNanos);
            return;
        }
        takeBack(nowNanos);
        List<Node> nodes = upstream.nodes();
        if (config.silenceNanos() > 0) {
            Outliers.silent(nodes, silenceNanos(), nowNanos, node -> eject(node, Cause.SILENCE, nowNanos));
        }
        if (config.comparedMin() > 0 && nowNanos - comparedNanos >= config.intervalNanos()) {
            comparedNanos = nowNanos;
            outliers.compare(nodes, config.comparedMin(), (node, why) -> eject(node, why, nowNanos));
        }
    }

    /**
     * Fewer may be out than are, as another sigma.json says, or since no backup is available any more: those that would be back first are as if
     * they had failed just now.
     */
    private void takeBack(long nowNanos) {
        int left = upstream.nodes().size();
        // What may be out changes with each that is back.
        while (out.get() > outMost && left-- > 0) {
            Node node = firstBack();
            if (node == null) {
                return;
            }
            Standing now = node.standing();
            Cause why = now.why();
            Standing used = new Standing(State.AVAILABLE, why, System.currentTimeMillis(), nowNanos, 0, false);
            if (now.placed() && node.move(now, used)) {
                leavePlace(now);
                node.trials().beginAnew();
                node.spare(new Spared(why == null ? Cause.FAULTS : why, nowNanos));
                upstream.settle();
                LOG.info("upstream {} node {}: used again for little, as fewer may be out", upstream.id(), node.name());
            }
        }
    }

    /** Of those that have a place. */
    private @Nullable Node firstBack() {
        Node first = null;
        long until = 0;
        for (Node node : upstream.nodes()) {
            Standing now = node.standing();
            // One that is tried out is over it before all others.
            long back = now.state() == State.TRIAL ? now.sinceNanos() : now.untilNanos();
            if (now.placed() && (first == null || back - until < 0)) {
                first = node;
                until = back;
            }
        }
        return first;
    }

    private void look(Node node, boolean needed, long nowNanos) {
        Standing now = node.standing();
        if (now.state() == State.EJECTED
                && (nowNanos - now.untilNanos() >= 0 || (needed && nowNanos - now.sinceNanos() >= EARLY_NANOS))) {
            toTrial(node, now, nowNanos);
        } else if (now.state() == State.AVAILABLE
                && node.ejectionCount() > 0
                && nowNanos - now.sinceNanos() > KEPT_WELL * config.ejectionNanos()) {
            node.forgetEjections();
        }
        Spared spared = node.spared();
        if (spared != null
                && (spared.why() == Cause.SILENCE || isFoundByComparing(spared.why()))
                && nowNanos - spared.fromNanos() >= config.ejectionNanos()
                && node.spare(null)) {
            // With as little as it has there may never be enough to compare it by.
            returned(node, nowNanos);
        }
        if (node.warmFromNanos() != 0 && nowNanos - node.warmFromNanos() >= config.slowStartNanos()) {
            node.warmFrom(0);
        }
    }

    /** Whether a good answer doesn't tell that this is over. */
    private static boolean isFoundByComparing(Cause why) {
        return why == Cause.SLOW || why == Cause.FAILING;
    }

    private boolean isOneWell() {
        for (Node node : upstream.nodes()) {
            if (node.isAvailable() && !node.isSuspect()) {
                return true;
            }
        }
        return false;
    }

    private static void toTrial(Node node, Standing from, long nowNanos) {
        node.trials().beginAnew();
        node.move(
                from,
                new Standing(
                        State.TRIAL,
                        from.why(),
                        System.currentTimeMillis(),
                        nowNanos,
                        0,
                        from.placed(),
                        node.trials().last()));
    }
}
