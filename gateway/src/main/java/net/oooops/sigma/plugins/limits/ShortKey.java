package net.oooops.sigma.plugins.limits;

/**
 * What is counted by: 128 bits of a keyed hash over all parts of a key, so that each takes the same memory, whatever a client sent, and nobody
 * can choose two that are the same. {@link KeyDigest} changes the one that it looks up with; one that is kept is never changed.
 */
final class ShortKey {
    long high;
    long low;

    ShortKey(long high, long low) {
        this.high = high;
        this.low = low;
    }

    /** One to be kept. */
    ShortKey copy() {
        return new ShortKey(high, low);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ShortKey that && high == that.high && low == that.low;
    }

    @Override
    public int hashCode() {
        return (int) (high ^ high >>> 32);
    }
}
