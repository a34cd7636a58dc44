package net.oooops.sigma.config;

import java.util.concurrent.TimeUnit;

/**
 * How nodes are judged by the traffic that they get ({@code upstream.health.passive}).
 *
 * @param enabled whether they are
 * @param faultsMax so many connections in a row that fail, or answers that can't be understood, eject a node; 0: never
 * @param timeoutsMax so many answers in a row that don't come in time eject a node; 0: never
 * @param errorsMax so many answers in a row of 500 or above, but 501 and 505, eject a node; 0: never
 * @param silenceNanos a node that several requests have waited for so long, without a sign of life, while others answer, is ejected; 0: never
 * @param intervalNanos how often nodes are compared with each other
 * @param comparedMin a node that was asked less often in an interval isn't compared; 0: none is
 * @param ejectionNanos how long the first ejection lasts; each further one twice as long
 * @param ejectionNanosMax how long any lasts at most
 * @param ejectedPercentMax how many of an Upstream's nodes may be ejected at once
 * @param panicPercent where fewer than that are available, all are used
 * @param trials so many trial requests must succeed before a node is used again
 * @param slowStartNanos in that time the share of a node that came back grows from little to its whole; 0: at once
 */
public record PassiveConfig(
        boolean enabled,
        int faultsMax,
        int timeoutsMax,
        int errorsMax,
        long silenceNanos,
        long intervalNanos,
        int comparedMin,
        long ejectionNanos,
        long ejectionNanosMax,
        int ejectedPercentMax,
        int panicPercent,
        int trials,
        long slowStartNanos) {

    /** What holds where sigma.json says nothing. */
    public static final PassiveConfig DEFAULT = new PassiveConfig(
            true,
            5,
            5,
            5,
            TimeUnit.SECONDS.toNanos(1),
            TimeUnit.SECONDS.toNanos(5),
            20,
            TimeUnit.SECONDS.toNanos(5),
            TimeUnit.MINUTES.toNanos(5),
            50,
            50,
            3,
            TimeUnit.SECONDS.toNanos(2));
}
