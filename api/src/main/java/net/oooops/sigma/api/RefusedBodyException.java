package net.oooops.sigma.api;

/**
 * A body isn't what it should be, thrown by a {@link BodyTransform}. That is the fault of who sent it: a request fails with {@link
 * Fault#BAD_REQUEST}, a response with {@link Fault#UPSTREAM_PROTOCOL}. The message stands in the access log as the reason.
 */
public final class RefusedBodyException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param reason for whoever reads the log, with what was expected */
    public RefusedBodyException(String reason) {
        super(reason);
    }
}
