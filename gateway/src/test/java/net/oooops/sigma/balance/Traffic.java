package net.oooops.sigma.balance;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.balance.Balancer.Heard;

/**
 * Requests that a balancer gives to nodes, in a time of their own: they come at random moments, and each is heard of when its
 * node's behaviour says. The same run each time.
 */
final class Traffic {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    /** What becomes of one request that is given to a node now. */
    interface Behaviour {
        Fate next(long nowNanos, SplittableRandom random);
    }

    /**
     * What becomes of a request.
     *
     * @param heard what is heard of it, and then it is over
     * @param afterNanos when
     */
    record Fate(Heard heard, long afterNanos) {}

    private record Ending(long atNanos, long number, int node, Fate fate) {}

    private final List<Behaviour> nodes = new ArrayList<>();
    private final PriorityQueue<Ending> endings =
            new PriorityQueue<>(Comparator.comparingLong(Ending::atNanos).thenComparingLong(Ending::number));
    private final SplittableRandom random = new SplittableRandom(42);
    private final Balancer balancer;
    private long nowNanos = 1_000_000_007L;
    private long started;
    private int[] given;

    Traffic(Balanced upstream, Behaviour... behaviours) {
        nodes.addAll(List.of(behaviours));
        given = new int[behaviours.length];
        balancer = upstream.at(() -> nowNanos);
    }

    /** Answers, half of them sooner and half later than that, by up to a half. */
    static Behaviour answers(double averageMs) {
        return (_, random) -> new Fate(Heard.ANSWER, (long) (averageMs * MS * (0.5 + random.nextDouble())));
    }

    static Behaviour fails(double afterMs) {
        return (_, _) -> new Fate(Heard.FAILURE, (long) (afterMs * MS));
    }

    /** Says nothing; who asked gives up. */
    static Behaviour hangs(double givenUpAfterMs) {
        return fails(givenUpAfterMs);
    }

    /** Another behaviour for some time, in milliseconds from the beginning of the test. */
    static Behaviour between(long fromMs, long untilMs, Behaviour then, Behaviour otherwise) {
        return (now, random) -> {
            long sinceMs = (now - 1_000_000_007L) / MS;
            return (sinceMs >= fromMs && sinceMs < untilMs ? then : otherwise).next(now, random);
        };
    }

    /** Lets that many requests a second come for so long, and returns how many each node was given in that time. */
    int[] run(int perSecond, long ms) {
        given = new int[nodes.size()];
        long until = nowNanos + ms * MS;
        long next = next(perSecond);
        while (next < until) {
            endUntil(next);
            nowNanos = next;
            give();
            next = next(perSecond);
        }
        endUntil(until);
        nowNanos = until;
        return given;
    }

    private long next(int perSecond) {
        double average = 1e9 / perSecond;
        return nowNanos + Math.max(1, (long) (-Math.log(1 - random.nextDouble()) * average));
    }

    private void endUntil(long atNanos) {
        Ending first = endings.peek();
        while (first != null && first.atNanos <= atNanos) {
            endings.remove();
            nowNanos = first.atNanos;
            balancer.heard(first.node, first.fate.heard, first.fate.afterNanos);
            balancer.ended(first.node);
            first = endings.peek();
        }
    }

    private void give() {
        int node = balancer.pick(PickContext.NONE);
        balancer.started(node);
        given[node]++;
        Fate fate = nodes.get(node).next(nowNanos, random);
        endings.add(new Ending(nowNanos + fate.afterNanos, started++, node, fate));
    }
}
