package net.oooops.sigma.api;

/**
 * A body isn't what it should be, thrown by a {@link BodyTransform}. That is the fault of who sent it: a request fails with {@link
 * Fault#BAD_REQUEST}, a response with {@link Fault#UPSTREAM_PROTOCOL}. The message stands in the access log as the reason.
 */
public final class RefusedBodyException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean isTooLarge;

    /** @param reason for whoever reads the log, with what was expected */
    public RefusedBodyException(String reason) {
        this(reason, false);
    }

    private RefusedBodyException(String reason, boolean isTooLarge) {
        super(reason);
        this.isTooLarge = isTooLarge;
    }

    /** That the body is larger than it may be: a request fails with {@link Fault#BODY_TOO_LARGE}. */
    public static RefusedBodyException tooLarge(String reason) {
        return new RefusedBodyException(reason, true);
    }

    /** Whether the body is larger than it may be. */
    public boolean isTooLarge() {
        return isTooLarge;
    }
}
