package net.oooops.sigma.api;

import org.jspecify.annotations.Nullable;

/**
 * A body isn't what it should be, thrown by a {@link BodyTransform}. That is the fault of who sent it: a request fails with {@link
 * Fault#BAD_REQUEST}, or where it is too large with {@link Fault#BODY_TOO_LARGE}; a response with {@link Fault#UPSTREAM_PROTOCOL}. The message
 * stands in the log, once in a while. A request that is refused {@linkplain #because for a reason} is counted under that, and its line in the
 * access log has it, in the place of the fault.
 */
public final class RefusedBodyException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean tooLarge;

    private final transient @Nullable Reason reason;

    private RefusedBodyException(@Nullable String message, boolean tooLarge, @Nullable Reason reason) {
        super(message);
        this.tooLarge = tooLarge;
        this.reason = reason;
    }

    /** @param reason for whoever reads the log, with what was expected */
    public RefusedBodyException(String reason) {
        this(reason, false, null);
    }

    /**
     * The body, or what becomes of it, is larger than is taken.
     *
     * @param reason for whoever reads the log, with what was expected
     */
    public static RefusedBodyException tooLarge(String reason) {
        return new RefusedBodyException(reason, true, null);
    }

    /** The same, for that reason: for bodies of requests. */
    public RefusedBodyException because(Reason why) {
        return new RefusedBodyException(getMessage(), tooLarge, why);
    }

    /** The reason under which it is counted; null where there is none. */
    public @Nullable Reason reason() {
        return reason;
    }

    /** Whether it is larger than is taken. */
    public boolean isTooLarge() {
        return tooLarge;
    }
}
