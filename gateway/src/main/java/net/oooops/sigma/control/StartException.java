package net.oooops.sigma.control;

/** The gateway can't start: an address in use, a transport that doesn't work here. The message is for the operator. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    /** With a message that says what was found and what was expected. */
    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
