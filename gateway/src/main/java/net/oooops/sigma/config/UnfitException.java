package net.oooops.sigma.config;

import org.jspecify.annotations.Nullable;

/** That a text is not what it should be, with what was expected instead; its message is what was expected. */
final class UnfitException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String expected;
    private final @Nullable String nearest;

    UnfitException(String expected, @Nullable String nearest) {
        super(expected);
        this.expected = expected;
        this.nearest = nearest;
    }

    UnfitException(String expected) {
        this(expected, null);
    }

    String expected() {
        return expected;
    }

    @Nullable String nearest() {
        return nearest;
    }
}
