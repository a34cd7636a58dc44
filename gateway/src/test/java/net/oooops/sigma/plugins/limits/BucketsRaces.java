package net.oooops.sigma.plugins.limits;

import static net.oooops.sigma.races.AtOnce.require;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;
import org.jspecify.annotations.Nullable;

/** Sessions of one client begin on several Workers at once. */
final class BucketsRaces {
    private static final long TOKEN = TimeUnit.MINUTES.toNanos(1);
    private static final ShortKey CLIENT = new ShortKey(0, 1);

    private BucketsRaces() {}

    /** With so many tokens of each rate in a full bucket. */
    private static Buckets buckets(LongSupplier clock, int keysMax, int... bursts) {
        List<Rate> rates = new ArrayList<>();
        for (int burst : bursts) {
            rates.add(Rate.of("rate", 1, Duration.ofNanos(TOKEN), burst));
        }
        return new Buckets(clock, rates, keysMax, new Buckets.Shared("test", "keys", count -> {}));
    }

    private static AtOnce.Part taking(Buckets buckets, AtomicInteger taken) {
        return () -> {
            for (int i = 0; i < 2; i++) {
                if (buckets.take(CLIENT, 1) == 0) {
                    taken.incrementAndGet();
                }
            }
        };
    }

    /** Nobody knows the client yet. */
    @Race
    static void aClientGetsNoMoreThanItsBucketHas() {
        Buckets buckets = buckets(() -> TOKEN, 10, 3);
        AtomicInteger taken = new AtomicInteger();
        AtOnce.run(taking(buckets, taken), taking(buckets, taken), taking(buckets, taken));
        require(taken.get() == 3, "three tokens: " + taken);
    }

    /** Its bucket is full again, and about to be forgotten, since another client makes it too many. There is room then: nobody needs the bucket that is shared. */
    @Race
    static void norWhereItsBucketIsForgotten() {
        AtomicLong clock = new AtomicLong(TOKEN);
        Buckets buckets = buckets(clock::get, 3, 2);
        for (int i = 1; i <= 3; i++) {
            require(buckets.take(new ShortKey(0, i), 1) == 0, "three clients");
        }
        clock.set(10 * TOKEN);
        AtomicInteger taken = new AtomicInteger();
        AtOnce.run(taking(buckets, taken), taking(buckets, taken), () -> buckets.take(new ShortKey(0, 4), 1));
        require(taken.get() == 2, "two tokens: " + taken);
    }

    /** Of several rates all change in one step, also where the bucket is forgotten meanwhile. */
    @Race
    static void norOfTheLeastOfSeveral() {
        AtomicLong clock = new AtomicLong(TOKEN);
        Buckets buckets = buckets(clock::get, 3, 4, 2);
        for (int i = 1; i <= 3; i++) {
            require(buckets.take(new ShortKey(0, i), 1) == 0, "three clients");
        }
        clock.set(10 * TOKEN);
        AtomicInteger taken = new AtomicInteger();
        AtOnce.run(taking(buckets, taken), taking(buckets, taken), () -> buckets.take(new ShortKey(0, 4), 1));
        require(taken.get() == 2, "two tokens: " + taken);
        long left = buckets.of(CLIENT).left(buckets.rates(), 0, clock.get());
        require(left == 2, "what was refused took nothing: " + left);
    }

    /** Requests enter and leave, and the key is forgotten in between. */
    @Race
    static void noSlotIsLostOrGivenTwice() {
        KeyTable<Slots> table = KeyTable.open(0);
        AtomicInteger inside = new AtomicInteger();
        AtOnce.Part part = () -> {
            Slots slots = enter(table);
            if (slots != null) {
                require(inside.incrementAndGet() <= 1, "one inside");
                inside.decrementAndGet();
                slots.leave();
            }
        };
        AtOnce.run(part, part, () -> table.add(new ShortKey(0, 2), new Slots(), 0));
        Slots after = enter(table);
        require(after != null && after.count() == 1, "all have left");
    }

    private static @Nullable Slots enter(KeyTable<Slots> table) {
        while (true) {
            Slots slots = table.get(CLIENT);
            if (slots == null) {
                slots = Objects.requireNonNull(table.add(CLIENT, new Slots(), 0));
            }
            switch (slots.enter(1)) {
                case YES -> {
                    return slots;
                }
                case FULL -> {
                    return null;
                }
                case FORGOTTEN -> table.remove(CLIENT, slots);
            }
        }
    }
}
