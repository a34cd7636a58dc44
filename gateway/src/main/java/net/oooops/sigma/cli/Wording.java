package net.oooops.sigma.cli;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** How numbers, addresses and keys are written in what commands print. */
final class Wording {
    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

    private Wording() {}

    /** {@code 1 route}, {@code 2 routes}. */
    static String count(long number, String word) {
        return number + " " + word + (number == 1 ? "" : "s");
    }

    /** As sigma.json writes it: {@code 30s}, {@code 250ms}. */
    static String duration(long nanos) {
        long millis = nanos / NANOS_PER_MILLI;
        return millis % MILLIS_PER_SECOND == 0 ? millis / MILLIS_PER_SECOND + "s" : millis + "ms";
    }

    /** A host and a port, IPv6 in brackets. */
    static String authority(String host, int port) {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    /** The word of sigma.json for a constant: {@code round-robin}. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
