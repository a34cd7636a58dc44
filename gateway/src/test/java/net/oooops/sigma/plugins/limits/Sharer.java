package net.oooops.sigma.plugins.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** One of the processes that share a limit. */
final class Sharer {
    private final LongSupplier clock;
    final RedisOfTest.Line line;
    final SharedLimit limit;
    final List<Runnable> later = new ArrayList<>();
    long onCredit;
    long failures;
    long others;

    Sharer(LongSupplier clock, RedisOfTest redis, SharedLimit.Terms terms) {
        this.clock = clock;
        line = redis.line();
        limit = new SharedLimit(
                clock,
                terms,
                new SharedLimit.Counts(n -> onCredit += n, n -> failures += n, n -> others += n),
                line,
                later::add);
    }

    /** A while later. */
    void look() {
        List<Runnable> due = List.copyOf(later);
        later.clear();
        due.forEach(Runnable::run);
        line.settle();
    }

    SharedKey key(long id) {
        ShortKey key = new ShortKey(id, id);
        SharedKey there = limit.find(key);
        return there == null ? limit.add(key, "k" + id, clock.getAsLong()) : there;
    }

    long take(long id) {
        while (true) {
            SharedKey there = key(id);
            long wait = there.take(clock.getAsLong());
            if (wait != SharedKey.FORGOTTEN) {
                return wait;
            }
            limit.remove(new ShortKey(id, id), there);
        }
    }

    /** How many of so many requests pass, each with all that Redis says before the next. */
    int passed(int tries) {
        int passed = 0;
        for (int i = 0; i < tries; i++) {
            passed += take(1) == 0 ? 1 : 0;
            line.settle();
        }
        return passed;
    }
}
