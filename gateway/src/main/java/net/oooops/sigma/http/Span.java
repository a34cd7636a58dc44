package net.oooops.sigma.http;

/** A part of an array, as one number: where it begins and where it ends. So that finding one allocates nothing. */
public final class Span {
    /** No such part. */
    public static final long NONE = -1;

    private Span() {}

    /** The part from {@code start} to before {@code end}. */
    public static long of(int start, int end) {
        return (long) start << 32 | end;
    }

    /** Where it begins. */
    public static int start(long span) {
        return (int) (span >>> 32);
    }

    /** The position after it. */
    public static int end(long span) {
        return (int) span;
    }
}
