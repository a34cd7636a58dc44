package net.oooops.sigma.plugins.connectionrate;

import static net.oooops.sigma.races.AtOnce.require;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;

/** Sessions of one client begin on several Workers at once. */
final class BucketsRaces {
    private static final long TOKEN = TimeUnit.MINUTES.toNanos(1);
    private static final IpAddress CLIENT = new IpAddress(0, 1, false);

    private BucketsRaces() {}

    private static AtOnce.Part taking(Buckets buckets, AtomicInteger taken) {
        return () -> {
            for (int i = 0; i < 2; i++) {
                if (buckets.take(CLIENT)) {
                    taken.incrementAndGet();
                }
            }
        };
    }

    /** Nobody knows the client yet. */
    @Race
    static void aClientGetsNoMoreThanItsBucketHas() {
        Buckets buckets = new Buckets(() -> TOKEN, TOKEN, 3, 10);
        AtomicInteger taken = new AtomicInteger();
        AtOnce.run(taking(buckets, taken), taking(buckets, taken), taking(buckets, taken));
        require(taken.get() == 3, "three tokens: " + taken);
    }

    /** Its bucket is full again, and about to be forgotten, since another client makes it too many. There is room then: nobody needs the bucket that is shared. */
    @Race
    static void norWhereItsBucketIsForgotten() {
        AtomicLong clock = new AtomicLong(TOKEN);
        Buckets buckets = new Buckets(clock::get, TOKEN, 2, 3);
        for (int i = 1; i <= 3; i++) {
            require(buckets.take(new IpAddress(0, i, false)), "three clients");
        }
        clock.set(10 * TOKEN);
        AtomicInteger taken = new AtomicInteger();
        AtOnce.run(taking(buckets, taken), taking(buckets, taken), () -> buckets.take(new IpAddress(0, 4, false)));
        require(taken.get() == 2, "two tokens: " + taken);
    }
}
