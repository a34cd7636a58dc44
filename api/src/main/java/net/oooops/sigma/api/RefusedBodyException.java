package net.oooops.sigma.api;

/**
 * A body isn't what it should be, thrown by a {@link BodyTransform}. That is the fault of who sent it: a request fails with {@link
 * Fault#BAD_REQUEST}, or where it is too large with {@link Fault#BODY_TOO_LARGE}; a response with {@link Fault#UPSTREAM_PROTOCOL}. The message
 * stands in the log, once in a while.
 */
public final class RefusedBodyException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean tooLarge;

    private RefusedBodyException(String reason, boolean tooLarge) {
        super(reason);
        this.tooLarge = tooLarge;
    }

    /** @param reason for whoever reads the log, with what was expected */
    public RefusedBodyException(String reason) {
        this(reason, false);
    }

    /**
     * The body, or what becomes of it, is larger than is taken.
     *
     * @param reason for whoever reads the log, with what was expected
     */
    public static RefusedBodyException tooLarge(String reason) {
        return new RefusedBodyException(reason, true);
    }

    /** Whether it is larger than is taken. */
    public boolean isTooLarge() {
        return tooLarge;
    }
}
