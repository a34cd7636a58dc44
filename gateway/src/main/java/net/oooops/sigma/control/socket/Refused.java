package net.oooops.sigma.control.socket;

/** What was asked is not done: why, in words for whoever asked. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param text one line or several */
    public Refused(String text) {
        super(text, null, false, false);
    }

    /** One line or several. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
