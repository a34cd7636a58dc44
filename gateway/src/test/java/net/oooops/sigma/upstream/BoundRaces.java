package net.oooops.sigma.upstream;

import static net.oooops.sigma.races.AtOnce.require;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;
import net.oooops.sigma.upstream.Breaker.Admission;

/** What several Workers take of one bound, budget or breaker: never more than there is, and all of it comes back. */
final class BoundRaces {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);

    private final AtomicInteger held = new AtomicInteger();

    private BoundRaces() {}

    private void hold(int most) {
        int now = held.incrementAndGet();
        require(now <= most, most + " at most: " + now);
    }

    private void letGo() {
        held.decrementAndGet();
    }

    private static Breaker breaker(int requests, int errorPercent, int trials) {
        return new Breaker(
                "u",
                new BreakerConfig(
                        BreakerConfig.NONE,
                        BreakerConfig.NONE,
                        requests,
                        1,
                        errorPercent,
                        10 * NOW,
                        1,
                        5 * NOW,
                        trials,
                        BreakerConfig.Adaptive.DEFAULT));
    }

    @Race
    static void aBoundIsNeverExceeded() {
        BoundRaces model = new BoundRaces();
        Bound bound = new Bound(2);
        AtOnce.Part worker = () -> {
            for (int i = 0; i < 2; i++) {
                if (bound.tryTake()) {
                    model.hold(2);
                    model.letGo();
                    bound.release();
                }
            }
        };
        AtOnce.run(worker, worker, worker);
        require(bound.count() == 0, "nothing left: " + bound.count());
    }

    /** Workers' pools with a bound in common, which a reload puts another in the place of: one connection of each Worker is always allowed, as it is now. */
    @Race
    static void poolsGiveBackWhatTheyTake() {
        Bound before = new Bound(2);
        Bound after = new Bound(3);
        Bound all = new Bound(3);
        AtOnce.Part worker = () -> {
            NodePool<String, String> pool = new NodePool<>(2, 2, before, null, all);
            Line.Link<String> a = new Line.Link<>("a");
            Line.Link<String> b = new Line.Link<>("b");
            int open = pool.admit(a) == NodePool.Admission.CONNECT ? 1 : 0;
            open += pool.admit(b) == NodePool.Admission.CONNECT ? 1 : 0;
            pool.bound(2, 2, after, null);
            pool.cancel(a);
            pool.cancel(b);
            for (int i = 0; i < open; i++) {
                String waits = pool.vacate("c");
                require(waits == null, "nobody waits");
            }
            require(pool.openCount() == 0, "no connection left: " + pool.openCount());
        };
        AtOnce.run(worker, worker, worker);
        require(before.count() == 0, "nothing left of the bound before: " + before.count());
        require(after.count() == 0, "nothing left of the bound after: " + after.count());
        require(all.count() == 0, "nothing left of the process's: " + all.count());
    }

    /** What was taken is what was there, with what was earned meanwhile, and what was given back is there again. */
    @Race
    static void aBudgetGivesNoMoreThanItHas() {
        RetryBudget budget = new RetryBudget(100, 1);
        AtomicInteger taken = new AtomicInteger();
        long there = budget.left();
        AtOnce.Part worker = () -> {
            for (int i = 0; i < 3; i++) {
                if (budget.tryTake()) {
                    taken.incrementAndGet();
                }
            }
            if (taken.get() > 0) {
                taken.decrementAndGet();
                budget.giveBack();
            }
        };
        AtOnce.run(worker, worker, () -> budget.earn(new Demand(1, 0, 0, 0, NOW)));
        // It keeps no more than it had at first, so what was earned may be lost.
        require(budget.left() + taken.get() >= there, "nothing lost: " + budget.left() + " and " + taken);
        require(
                budget.left() + taken.get() <= there + 1,
                "no more than was earned: " + budget.left() + " and " + taken);
    }

    /** Requests and retries. */
    @Race
    static void aBreakerLetsNoMoreThroughThanItsBounds() {
        BoundRaces model = new BoundRaces();
        Breaker breaker = breaker(2, 0, 1);
        AtomicInteger retries = new AtomicInteger();
        AtOnce.Part worker = () -> {
            Admission admission = breaker.admit();
            if (admission.fault() != null) {
                return;
            }
            model.hold(2);
            if (breaker.tryRetry()) {
                require(retries.incrementAndGet() == 1, "one retry");
                retries.decrementAndGet();
                breaker.endRetry();
            }
            breaker.judged(admission, false, 1, NOW);
            model.letGo();
            breaker.ended(admission, true, true);
        };
        AtOnce.run(worker, worker, worker, () -> breaker.tick(NOW));
        require(breaker.requestCount() == 0, "no request left: " + breaker.requestCount());
        require(breaker.allowsRetry(), "no retry left");
    }

    private static Breaker open(int trials) {
        Breaker breaker = breaker(BreakerConfig.NONE, 50, trials);
        Admission admission = breaker.admit();
        breaker.judged(admission, true, 1, NOW);
        breaker.ended(admission, true, true);
        breaker.tick(NOW);
        require(breaker.isOpen(), "open");
        return breaker;
    }

    /** It is about to be half open: as many try it out as are to, and where they say nothing as many others. */
    @Race
    static void aBreakerIsTriedOutByAsManyAsMay() {
        BoundRaces model = new BoundRaces();
        Breaker breaker = open(1);
        AtOnce.Part worker = () -> {
            Admission admission = breaker.admit();
            if (admission.isTrial()) {
                model.hold(1);
                model.letGo();
                breaker.ended(admission, false, true);
            }
            require(admission.fault() != null || admission.isTrial(), "not closed: nothing went well");
        };
        AtOnce.run(() -> breaker.tick(10 * NOW), worker, worker, worker);
        require(breaker.requestCount() == 0, "no request left: " + breaker.requestCount());
        Admission last = breaker.admit();
        require(last.isTrial(), "a trial in place of those that said nothing: " + last.fault());
        require(breaker.admit().fault() == Fault.BREAKER_OPEN, "one trial");
    }

    /** All trials go well, or one fails, whichever is told first. */
    @Race
    static void aBreakerClosesWhenAllTrialsWentWell() {
        Breaker breaker = open(2);
        breaker.tick(10 * NOW);
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger passed = new AtomicInteger();
        AtOnce.Part passes = () -> {
            Admission admission = breaker.admit();
            if (admission.isTrial()) {
                passed.incrementAndGet();
                breaker.judged(admission, false, 1, 10 * NOW);
            }
            if (admission.fault() == null) {
                breaker.ended(admission, true, true);
            }
        };
        AtOnce.Part fails = () -> {
            Admission admission = breaker.admit();
            if (admission.isTrial()) {
                failed.incrementAndGet();
                breaker.judged(admission, true, 1, 10 * NOW);
            }
            if (admission.fault() == null) {
                breaker.ended(admission, true, true);
            }
        };
        AtOnce.run(passes, passes, fails);
        require(breaker.isOpen() == (failed.get() > 0), failed + " failed, " + passed + " passed: " + breaker.state());
        require(breaker.openingCount() == 1 + failed.get(), "opened " + breaker.openingCount() + " times");
        require(breaker.requestCount() == 0, "no request left: " + breaker.requestCount());
    }
}
