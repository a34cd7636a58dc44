package net.oooops.sigma.config;

import java.util.concurrent.TimeUnit;

/**
 * Every wait on the client's side of one listener, with what happens at its end.
 *
 * @param handshakeNanos from the start of a connection that is to be encrypted to the end of its TLS handshake; close
 * @param headerNanos from a request's first byte (or the connection's start) to the end of its head; 408 and close, silently
 *     where no byte came
 * @param bodyIdleNanos between two reads of a request body; 408 and close
 * @param bodyMinRateBytesPerSecond what a request body must make on average once {@code bodyMinRateAfterNanos} is over; 408 and
 *     close
 * @param bodyMinRateAfterNanos the grace before that is asked
 * @param bodyDiscardNanos how long the rest of a body may take that comes after its request's answer, and is thrown away; close
 * @param keepAliveNanos between an answer's end and the next request; close
 * @param connectionLifetimeNanos age from which a connection is closed after its next answer, ± 10 % at random
 * @param sendStallNanos no progress in writing to the client, nor in reading a body from it; close
 * @param lingerNanos how long what a client still sends is read and thrown away after a last answer, so that the answer arrives
 * @param pluginNanos how long a plugin that suspends or blocks may take; 500. And how long one may give no part of its stream; cut short
 * @param drainNanos how long requests in flight may take after a stop was asked for; close
 * @param drainIdleNanos how long, after that, a connection on which no request is under way is kept for one that may be on its way; close
 * @param drainUpgradeNanos how long all of that may take where another process has taken this one's place; close
 */
public record Timeouts(
        long handshakeNanos,
        long headerNanos,
        long bodyIdleNanos,
        long bodyMinRateBytesPerSecond,
        long bodyMinRateAfterNanos,
        long bodyDiscardNanos,
        long keepAliveNanos,
        long connectionLifetimeNanos,
        long sendStallNanos,
        long lingerNanos,
        long pluginNanos,
        long drainNanos,
        long drainIdleNanos,
        long drainUpgradeNanos) {

    /** What holds where sigma.json says nothing. */
    public static final Timeouts DEFAULT = new Timeouts(
            TimeUnit.SECONDS.toNanos(10),
            TimeUnit.SECONDS.toNanos(10),
            TimeUnit.SECONDS.toNanos(30),
            500,
            TimeUnit.SECONDS.toNanos(10),
            TimeUnit.MINUTES.toNanos(10),
            TimeUnit.SECONDS.toNanos(65),
            TimeUnit.HOURS.toNanos(1),
            TimeUnit.SECONDS.toNanos(60),
            TimeUnit.SECONDS.toNanos(2),
            TimeUnit.SECONDS.toNanos(30),
            TimeUnit.SECONDS.toNanos(30),
            TimeUnit.SECONDS.toNanos(1),
            TimeUnit.MINUTES.toNanos(15));
}
