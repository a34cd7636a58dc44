package net.oooops.sigma.http;

import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.config.Timeouts;

/** For how long, and for how many requests, a client's connection is kept open. Called on the connection's event loop only. */
public final class Lifetime {
    private static final double JITTER = 0.1;

    private final HttpServer server;
    private final double spread;
    private long endsNanos;
    private int requests;

    /** That of a connection that was just accepted. */
    public Lifetime(HttpServer server) {
        this.server = server;
        // Jitter, or clients that came together would all come back together.
        this.spread = ThreadLocalRandom.current().nextDouble(1 - JITTER, 1 + JITTER);
        this.endsNanos = server.clock().nanos() + nanosOf(server.timeouts());
    }

    private long nanosOf(Timeouts timeouts) {
        return (long) (timeouts.connectionLifetimeNanos() * spread);
    }

    /** It is as long as others say, from its beginning. */
    public void follow(Timeouts before, Timeouts now) {
        endsNanos += nanosOf(now) - nanosOf(before);
    }

    /** A request has come. */
    public void countRequest() {
        requests++;
    }

    /** Whether no request has come yet. */
    public boolean isUnused() {
        return requests == 0;
    }

    /** Whether there is to be another request. */
    public boolean goesOn() {
        return requests < server.limits().requestsPerConnectionMax()
                && !server.isDraining()
                && server.clock().nanos() - endsNanos < 0;
    }
}
