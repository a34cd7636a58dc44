package net.oooops.sigma.api;

/** A plugin's setting that can't be used. It is reported with its place in sigma.json. */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String pointer;
    private final String found;
    private final String expected;
    private final boolean ofItself;

    /**
     * @param pointer JSON pointer (RFC 6901) of the value within the plugin's settings; empty for the settings themselves
     * @param found what stands there
     * @param expected what was expected
     */
    public SettingsException(String pointer, String found, String expected) {
        this(pointer, found, expected, false);
    }

    private SettingsException(String pointer, String found, String expected, boolean ofItself) {
        super(pointer + ": " + found + " (expected: " + expected + ")");
        this.pointer = pointer;
        this.found = found;
        this.expected = expected;
        this.ofItself = ofItself;
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

    /** The same, said of the value by itself, whatever stands beside it. */
    public SettingsException ofItself() {
        return new SettingsException(pointer, found, expected, true);
    }

    /** Whether it is said of a value that is there, whatever stands beside it: then it is told, too, where other settings of the plugin can't be used. */
    public boolean isOfItself() {
        return ofItself;
    }
}
