package net.oooops.sigma.control.history;

/** A configuration can't be had back: why, in words for whoever asked for it. */
public final class NotKept extends Exception {
    private static final long serialVersionUID = 1L;

    NotKept(String text) {
        super(text, null, false, false);
    }

    /** One line, without a line end. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
