package net.oooops.sigma.exchange;

import java.time.Duration;
import java.util.function.LongSupplier;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Await;

/** Requests in their bytes, and waits for what a gateway counts. */
final class Ask {
    private static final long STILL_NANOS = 100_000_000;

    private Ask() {}

    static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: a.example\r\n\r\n";
    }

    static String head(String path) {
        return "HEAD " + path + " HTTP/1.1\r\nHost: a.example\r\n\r\n";
    }

    static String get10(String path) {
        return "GET " + path + " HTTP/1.0\r\nHost: a.example\r\n\r\n";
    }

    static String post(String path, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: a.example\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** The head of a POST whose body is to follow. */
    static String postHead(String path, long bodyBytes) {
        return "POST " + path + " HTTP/1.1\r\nHost: a.example\r\nContent-Length: " + bodyBytes + "\r\n\r\n";
    }

    /** The head of a POST whose chunks are to follow. */
    static String postChunked(String path) {
        return "POST " + path + " HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n";
    }

    /** Waits until a counter has that value. */
    static void count(GatewayFixture gateway, Counter counter, long expected) {
        Await.value(counter + " (expected: " + expected + ")", () -> gateway.count(counter), n -> n == expected);
    }

    /** Waits until so many requests have failed in that way. */
    static void faults(GatewayFixture gateway, Fault fault, long expected) {
        Await.value(fault + " (expected: " + expected + ")", () -> gateway.faults(fault), n -> n == expected);
    }

    /** Waits until nothing is in flight and no client is connected. */
    static void quiet(GatewayFixture gateway) {
        Await.until("no exchange, no connection", Duration.ofSeconds(20), () -> {
            Counters counters = gateway.counters();
            return counters.count(Counter.REQUESTS_IN_FLIGHT) == 0
                    && counters.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0
                    && counters.pools().stream().allMatch(pool -> pool.waiting() == 0 && pool.open() == pool.idle());
        });
    }

    /** Waits until a figure that grew has not grown for a tenth of a second: whatever moved it has stopped. */
    static long standstill(String what, LongSupplier figure) {
        long[] last = {-1, 0};
        Await.until(what + " comes to a stop", Duration.ofSeconds(30), () -> {
            long now = figure.getAsLong();
            if (now != last[0] || now == 0) {
                last[0] = now;
                last[1] = System.nanoTime();
            }
            return System.nanoTime() - last[1] > STILL_NANOS && now > 0;
        });
        return last[0];
    }

    /** The pool of the only node. */
    static Counters.Pool pool(GatewayFixture gateway) {
        return gateway.counters().pools().getFirst();
    }
}
