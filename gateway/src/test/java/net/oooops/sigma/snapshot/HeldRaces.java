package net.oooops.sigma.snapshot;

import static net.oooops.sigma.races.AtOnce.require;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;

/** What several Snapshots have ends with the last of them, once. */
final class HeldRaces {
    /** Fails while it is closed, too. */
    private record Counting(AtomicInteger closed, AtomicBoolean used) implements Plugin {
        @Override
        public Needs needs() {
            return Needs.REQUEST;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
            if (used.get()) {
                // Whoever closes it takes what it throws.
                closed.addAndGet(100);
            }
            throw new IllegalStateException("closed badly");
        }
    }

    private HeldRaces() {}

    private static Held held(Shared<Plugin> first, Shared<Plugin> second) {
        return new Held(List.of(), List.of(first, second), List.of());
    }

    /** Two that have it end at the same time, each from two threads. */
    @Race
    static void theLastOneCloses() {
        AtomicInteger closed = new AtomicInteger();
        AtomicBoolean used = new AtomicBoolean(true);
        Shared<Plugin> first = new Shared<>(new Counting(closed, used));
        Shared<Plugin> second = new Shared<>(new Counting(closed, used));
        Held one = held(first, second);
        Held other = held(first.share(), second.share());
        AtOnce.run(
                one::end,
                () -> {
                    used.set(false);
                    other.end();
                },
                one::end);
        require(closed.get() == 2, "each is closed once: " + closed);
    }

    /** A gateway stops while a configuration is compiled that is to have it, and that comes to nothing. */
    @Race
    static void aReloadThatAStopOvertakesClosesNothingAgain() {
        AtomicInteger closed = new AtomicInteger();
        Shared<Plugin> first = new Shared<>(new Counting(closed, new AtomicBoolean()));
        Shared<Plugin> second = new Shared<>(new Counting(closed, new AtomicBoolean()));
        Held holds = held(first, second);
        AtOnce.run(holds::end, () -> held(first.share(), second.share()).end());
        require(closed.get() == 2, "each is closed once: " + closed);
    }
}
