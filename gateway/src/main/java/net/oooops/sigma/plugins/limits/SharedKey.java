package net.oooops.sigma.plugins.limits;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.plugins.limits.Lease.Held;

/**
 * What this process knows and has of one key that others count, too.
 *
 * <p>A request takes of the lease. Where that has nothing, and the buckets had a token when Redis said so last, or are new here, the request is let in on
 * credit, up to a bound: what is owed is taken from the buckets with the next question, whatever they have. Where Redis said that they have none, nothing is
 * given before one has come. Questions are asked one at a time: when half of a lease is gone, or something is owed, and of what has none once a second, as
 * Redis may be gone or have begun anew.
 *
 * <p>Any thread; nothing waits, and nothing is allocated but for questions.
 */
final class SharedKey implements KeyTable.Entry, Level {
    /** What {@link #take} says of one that is forgotten. */
    static final long FORGOTTEN = Bucket.FORGOTTEN;

    private static final Held GONE = new Held(Lease.NONE, Lease.NONE);
    private static final long HORIZON_NANOS = 1_000_000_000L;
    private static final long USED_IN_NANOS_MIN = 100_000_000L;

    /** What Redis has said for so long is asked again, whatever it was: it may be gone, or have begun anew with nothing. */
    private static final long TRUSTED_NANOS = 1_000_000_000L;

    private final SharedLimit of;
    private final String name;
    private final AtomicReference<Held> held = new AtomicReference<>(Lease.NONE.alone());
    private final AtomicLong debt = new AtomicLong();
    private final AtomicBoolean asking = new AtomicBoolean();
    private final AtomicReference<Known> known;
    /** What it had when it was looked whether anybody uses it. Whoever looks, one at a time. */
    private Held seen = GONE;

    private long seenUnused;
    /** When something was last given on credit. */
    private volatile long owedNanos;

    /** What Redis said last. */
    private static final class Known {
        /** When buckets are full, of each rate. */
        private final long[] fullAtNanos;
        /** When they have what a request costs. */
        private final long oneAtNanos;
        /** Before that, asking gives nothing. */
        private final long askFromNanos;
        /** When it said so. */
        private final long atNanos;
        /** What was held then. */
        private final long heldTokens;

        Known(long[] fullAtNanos, long oneAtNanos, long askFromNanos, long atNanos, long heldTokens) {
            this.fullAtNanos = fullAtNanos;
            this.oneAtNanos = oneAtNanos;
            this.askFromNanos = askFromNanos;
            this.atNanos = atNanos;
            this.heldTokens = heldTokens;
        }

        /** The same without so many tokens, which weren't used: the buckets have what a request costs sooner, and asking gives it. */
        Known less(long tokens, Rate[] rates, long cost) {
            long[] earlier = fullAtNanos.clone();
            long oneAt = atNanos;
            for (int i = 0; i < earlier.length; i++) {
                earlier[i] -= tokens * rates[i].tokenNanos();
                oneAt = Math.max(oneAt, rates[i].availableNanos(earlier[i], cost));
            }
            long askFrom = Math.min(askFromNanos, oneAt);
            return new Known(earlier, oneAt, askFrom, atNanos, Math.max(0, heldTokens - tokens));
        }
    }

    /** A question. */
    record Question(long want, long debt, long atNanos) {}

    /**
     * One of which nothing is known.
     *
     * @param name the same in all processes
     */
    SharedKey(SharedLimit of, String name, long nowNanos) {
        this.of = of;
        this.name = name;
        long[] full = new long[of.rates().length];
        for (int i = 0; i < full.length; i++) {
            full[i] = nowNanos;
        }
        this.known = new AtomicReference<>(new Known(full, nowNanos, nowNanos, nowNanos, 0));
    }

    String name() {
        return name;
    }

    /**
     * Takes what a request costs.
     *
     * @return 0 where it was taken; for how long it is still to come; or {@link #FORGOTTEN}
     */
    long take(long nowNanos) {
        Held there = held.get();
        if (there == GONE) {
            return FORGOTTEN;
        }
        long cost = of.cost();
        if (there.current().take(cost, nowNanos)) {
            if (there.next() == Lease.NONE && there.current().isLow(nowNanos)) {
                ask(nowNanos);
            }
            return 0;
        }
        if (there.next().take(cost, nowNanos)) {
            held.compareAndSet(there, there.next().alone());
            ask(nowNanos);
            return 0;
        }
        long wait = owe(nowNanos);
        if (wait != FORGOTTEN) {
            ask(nowNanos);
        }
        return wait;
    }

    private long owe(long nowNanos) {
        long cost = of.cost();
        if (known.get().oneAtNanos - nowNanos > 0) {
            return waitNanos(nowNanos);
        }
        long before = debt.get();
        while (before + cost <= of.creditTokens()) {
            if (debt.compareAndSet(before, before + cost)) {
                owedNanos = nowNanos;
                // Who forgets it looks at debts after it has marked it.
                if (held.get() == GONE) {
                    debt.addAndGet(-cost);
                    return FORGOTTEN;
                }
                of.onCredit().increment();
                return 0;
            }
            before = debt.get();
        }
        return waitNanos(nowNanos);
    }

    private long waitNanos(long nowNanos) {
        Rate[] rates = of.rates();
        long wait = 1;
        for (int i = 0; i < rates.length; i++) {
            wait = Math.max(wait, rates[i].availableNanos(fullAtNanos(i, nowNanos), of.cost()) - nowNanos);
        }
        return wait;
    }

    /** Asks for more, where nobody does, and there may be more, or that there is none was said some time ago. */
    private void ask(long nowNanos) {
        Known last = known.get();
        if (last.askFromNanos - nowNanos <= 0 || nowNanos - last.atNanos >= TRUSTED_NANOS || debt.get() > 0) {
            probe(nowNanos);
        }
    }

    /** Asks, where nobody does. */
    void probe(long nowNanos) {
        if (!asking.get() && asking.compareAndSet(false, true)) {
            of.ask(this, new Question(want(nowNanos), debt.get(), nowNanos));
        }
    }

    /** What it would use in the next second, if it went on as since the last answer. */
    private long want(long nowNanos) {
        Known last = known.get();
        double used = Math.max(0, last.heldTokens - heldTokens(nowNanos)) + debt.get();
        double inNanos = Math.max(USED_IN_NANOS_MIN, nowNanos - last.atNanos);
        long wanted = (long) Math.ceil(used * HORIZON_NANOS / inNanos);
        long cost = of.cost();
        long whole = Math.ceilDiv(Math.min(wanted, of.leaseTokens()), cost) * cost;
        return Math.clamp(whole, cost, of.leaseTokens());
    }

    /** Redis has answered. */
    void answered(Question question, LeaseScript.Answer answer, long nowNanos) {
        Rate[] rates = of.rates();
        long[] full = new long[rates.length];
        long[] end = new long[rates.length];
        long oneAt = nowNanos;
        for (int i = 0; i < rates.length; i++) {
            // Redis was asked some time between the question and its answer: what is had counts from the one, what is
            // not from the other.
            end[i] = question.atNanos + answer.awayNanos().get(i);
            full[i] = nowNanos + answer.awayNanos().get(i);
            oneAt = Math.max(oneAt, rates[i].availableNanos(full[i], of.cost()));
        }
        if (answer.tokens() > 0) {
            Lease lease = new Lease(rates, answer.tokens(), end, answer.fullUnits());
            held.getAndUpdate(there -> with(there, lease, nowNanos));
        }
        long askFrom = answer.tokens() < question.want ? oneAt : nowNanos;
        known.set(new Known(full, oneAt, askFrom, nowNanos, heldTokens(nowNanos)));
        debt.addAndGet(-question.debt);
        asking.set(false);
        if (debt.get() > 0) {
            // What was owed meanwhile: perhaps no other request comes.
            ask(nowNanos);
        }
    }

    private Held with(Held there, Lease lease, long nowNanos) {
        if (there == GONE) {
            return there;
        }
        Lease first = there.current().left(nowNanos) >= of.cost() ? there.current() : there.next();
        return first.left(nowNanos) >= of.cost() ? new Held(first, lease) : lease.alone();
    }

    /** Redis has not. What is owed stays owed; it may be taken twice, never not at all. */
    void unanswered() {
        asking.set(false);
    }

    /** Gives back what lies here unused, as far as it was taken last: the newest first, with which what is older may become the last. Whether there was anything. */
    boolean giveBack(long nowNanos) {
        Held there = held.get();
        boolean newest = giveBack(there.next(), nowNanos);
        return giveBack(there.current(), nowNanos) || newest;
    }

    private boolean giveBack(Lease lease, long nowNanos) {
        long tokens = lease.takeAll(nowNanos);
        if (tokens > 0) {
            // Nobody has used them, here: where Redis is lost next, they don't count.
            known.updateAndGet(last -> last.less(tokens, of.rates(), of.cost()));
            of.giveBack(this, tokens, lease.fullUnits());
        }
        return tokens > 0;
    }

    /** Whether something lies here. */
    boolean isHolding(long nowNanos) {
        return heldTokens(nowNanos) > 0;
    }

    /** Whether nobody has used any of what lies here since this was asked before. */
    boolean isIdle() {
        Held there = held.get();
        long unused = there.current().unused() + there.next().unused();
        boolean idle = there == seen && unused == seenUnused;
        seen = there;
        seenUnused = unused;
        return idle;
    }

    private long heldTokens(long nowNanos) {
        Held there = held.get();
        return there.current().left(nowNanos) + there.next().left(nowNanos);
    }

    @Override
    public long fullAtNanos(int rate, long nowNanos) {
        long tokenNanos = of.rates()[rate].tokenNanos();
        long away = Math.max(0, known.get().fullAtNanos[rate] - nowNanos) - heldTokens(nowNanos) * tokenNanos;
        return nowNanos + Math.max(0, away) + debt.get() * tokenNanos;
    }

    /** When that of a rate will be full by what was taken so far, wherever the clock is: earlier than now where all of that has come since. */
    long takenUntilNanos(int rate, long nowNanos) {
        long tokenNanos = of.rates()[rate].tokenNanos();
        long until = known.get().fullAtNanos[rate] - heldTokens(nowNanos) * tokenNanos;
        long owed = debt.get();
        if (owed <= 0) {
            return until;
        }
        long from = owedNanos;
        return (until - from > 0 ? until : from) + owed * tokenNanos;
    }

    /** One that is full as far as is known, and owes nothing that would still count. */
    @Override
    public boolean forget(long nowNanos) {
        Held there = held.get();
        if (there == GONE) {
            return true;
        }
        for (long fullAt : known.get().fullAtNanos) {
            if (fullAt - nowNanos > 0) {
                return false;
            }
        }
        if (isUsed(nowNanos) || !held.compareAndSet(there, GONE)) {
            return false;
        }
        if (isUsed(nowNanos)) {
            held.set(there);
            return false;
        }
        return true;
    }

    private boolean isUsed(long nowNanos) {
        return asking.get() || (debt.get() > 0 && owedNanos + of.bucketNanosMax() - nowNanos > 0);
    }
}
