package net.oooops.sigma.plugins.compression.coding;

import net.oooops.sigma.api.RefusedBodyException;

/**
 * How many parts of a body, members of gzip or frames of zstd, became little or nothing. Each costs some microseconds, whatever becomes of it: so many that
 * nothing else bounds would keep an event loop busy. Whoever packs in parts has more in each.
 *
 * <p>For one thread at a time.
 */
final class SmallParts {
    /** How many of them a body may have. */
    static final int COUNT_MAX = 10_000;

    /** What becomes less is small: more than {@link #COUNT_MAX} others are bounded by what a body may become. */
    static final int BYTES = 512;

    private final String coding;
    private int count;

    SmallParts(String coding) {
        this.coding = coding;
    }

    /** Another body begins. */
    void reset() {
        count = 0;
    }

    /**
     * A part is complete.
     *
     * @param madeBytes what became of it
     * @throws RefusedBodyException where it is one too many
     */
    void ended(long madeBytes) throws RefusedBodyException {
        if (madeBytes < BYTES && ++count > COUNT_MAX) {
            throw RefusedBodyException.tooLarge("the body has more than " + COUNT_MAX + " parts of " + coding
                    + " that become less than " + BYTES + " bytes each (expected: fewer, or larger ones)");
        }
    }
}
