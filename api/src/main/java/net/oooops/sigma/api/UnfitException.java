package net.oooops.sigma.api;

import org.jspecify.annotations.Nullable;

/** That a text is not what it should be, with what was expected instead; its message is what was expected. */
public final class UnfitException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String expected;
    private final @Nullable String nearest;

    /** @param nearest what was probably meant, in the form it should have; null where nothing comes near */
    public UnfitException(String expected, @Nullable String nearest) {
        super(expected);
        this.expected = expected;
        this.nearest = nearest;
    }

    /** @param expected in words for whoever wrote the text */
    public UnfitException(String expected) {
        this(expected, null);
    }

    /** What was expected. */
    public String expected() {
        return expected;
    }

    /** What was probably meant, or null. */
    public @Nullable String nearest() {
        return nearest;
    }
}
