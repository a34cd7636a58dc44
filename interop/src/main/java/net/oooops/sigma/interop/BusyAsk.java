package net.oooops.sigma.interop;

import java.io.Serializable;

/** A request of SOFABolt for which its node never has a thread. */
public final class BusyAsk implements Serializable {
    private static final long serialVersionUID = 1;

    private final String text = "nobody is free";

    /** What nobody reads. */
    public String text() {
        return text;
    }
}
