package net.oooops.sigma.observe;

/** Numbers as decimal digits, without a String. */
final class Decimal {
    private static final int RADIX = 10;

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
}
