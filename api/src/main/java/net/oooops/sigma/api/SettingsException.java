package net.oooops.sigma.api;

/** A plugin's setting that can't be used. It is reported with its place in sigma.json. */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String pointer;
    private final String found;
    private final String expected;

    /**
     * @param pointer JSON pointer (RFC 6901) of the value within the plugin's settings; empty for the settings themselves
     * @param found what stands there
     * @param expected what was expected
     */
    public SettingsException(String pointer, String found, String expected) {
        super(pointer + ": " + found + " (expected: " + expected + ")");
        this.pointer = pointer;
        this.found = found;
        this.expected = expected;
    }

    /** JSON pointer of the value within the plugin's settings. */
    public String pointer() {
        return pointer;
    }

    /** What stands there. */
    public String found() {
        return found;
    }

    /** What was expected. */
    public String expected() {
        return expected;
    }
}
