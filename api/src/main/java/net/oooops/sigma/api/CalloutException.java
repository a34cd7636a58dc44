package net.oooops.sigma.api;

/** There is no answer to a {@link Callout}: no node could be asked, none answered in time, or its answer was not one. */
public final class CalloutException extends Exception {
    private static final long serialVersionUID = 1;

    private final Fault fault;

    /**
     * It failed with that.
     *
     * @param fault what a request of a client would have failed with
     * @param why in words
     */
    public CalloutException(Fault fault, String why) {
        super(why.isEmpty() ? fault.toString() : fault + ": " + why, null, false, false);
        this.fault = fault;
    }

    /** What a request of a client would have failed with. */
    public Fault fault() {
        return fault;
    }
}
