package net.oooops.sigma.observe;

import java.util.concurrent.TimeUnit;

/** Numbers as decimal digits, without a String. */
final class Decimal {
    private static final int RADIX = 10;
    private static final long MICROS_PER_MILLI = 1000;
    private static final int FRACTION_DIGITS = 3;

    private Decimal() {}

    /** Writes {@code value} (expected: >= 0) with at least {@code digitsMin} digits to {@code at}; returns the position after it. */
    static int put(long value, int digitsMin, byte[] out, int at) {
        int digits = 1;
        for (long rest = value; rest >= RADIX; rest /= RADIX) {
            digits++;
        }
        int end = at + Math.max(digits, digitsMin);
        long rest = Math.max(value, 0);
        for (int i = end - 1; i >= at; i--) {
            out[i] = (byte) ('0' + rest % RADIX);
            rest /= RADIX;
        }
        return end;
    }

    /** Writes so many nanoseconds as milliseconds with three decimals to {@code at}; returns the position after them. */
    static int putMillis(long nanos, byte[] out, int at) {
        long micros = TimeUnit.NANOSECONDS.toMicros(nanos);
        int point = put(micros / MICROS_PER_MILLI, 1, out, at);
        out[point] = '.';
        return put(micros % MICROS_PER_MILLI, FRACTION_DIGITS, out, point + 1);
    }
}
