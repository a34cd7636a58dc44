package net.oooops.sigma.plugins.authentication.basicauth;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.IpAddress;

/**
 * Where passwords are hashed: on half of the cores, for all places of sigma.json together, so that event loops have the other half. How many may
 * wait is bounded for each place, and for each client there, so that one who tries passwords out takes no more than their own share. Safe for use
 * from any thread.
 */
final class Hashing {
    private static final ThreadPoolExecutor THREADS = threads();

    private final int waitingMax;
    private final int perClientMax;
    private final AtomicInteger waiting = new AtomicInteger();
    private final ConcurrentHashMap<Client, Integer> byClient = new ConcurrentHashMap<>();

    /** An address of IPv4, or the network of one of IPv6, of which a client has all. */
    private record Client(long bits, boolean ipv6) {
        static Client of(IpAddress address) {
            return new Client(address.ipv6() ? address.high() : address.low(), address.ipv6());
        }
    }

    /** Whether a password may be hashed. */
    enum Admission {
        ADMITTED,
        BUSY,
        CLIENT_BUSY
    }

    Hashing(int waitingMax, int perClientMax) {
        this.waitingMax = waitingMax;
        this.perClientMax = perClientMax;
    }

    private static ThreadPoolExecutor threads() {
        int count = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                count,
                count,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("sigma-password-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Has it done as soon as it is its turn, where it may be; what is done doesn't throw. */
    Admission submit(IpAddress from, Runnable work) {
        if (waiting.incrementAndGet() > waitingMax) {
            waiting.decrementAndGet();
            return Admission.BUSY;
        }
        Client client = Client.of(from);
        if (byClient.merge(client, 1, Integer::sum) > perClientMax) {
            leave(client);
            return Admission.CLIENT_BUSY;
        }
        THREADS.execute(() -> {
            try {
                work.run();
            } finally {
                leave(client);
            }
        });
        return Admission.ADMITTED;
    }

    private void leave(Client client) {
        byClient.computeIfPresent(client, (each, count) -> count == 1 ? null : count - 1);
        waiting.decrementAndGet();
    }
}
