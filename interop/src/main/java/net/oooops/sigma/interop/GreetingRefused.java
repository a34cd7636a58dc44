package net.oooops.sigma.interop;

/** An exception that an interface of SOFARPC declares, and that comes back to its caller. */
public final class GreetingRefused extends Exception {
    private static final long serialVersionUID = 1;

    /** With a message. */
    public GreetingRefused(String message) {
        super(message);
    }
}
