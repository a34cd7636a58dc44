package net.oooops.sigma.cli;

/** A command can't do what it was asked to: the text for the user, and the exit code. */
final class Failure extends Exception {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /** @param text one line or several */
    Failure(int exitCode, String text) {
        super(text.endsWith("\n") ? text : text + "\n", null, false, false);
        this.exitCode = exitCode;
    }

    /** The text, with a line end. */
    String text() {
        return String.valueOf(getMessage());
    }

    int exitCode() {
        return exitCode;
    }

    /** Tells the user, and returns the exit code. */
    int report(String command, Console console) {
        console.err().print(text());
        if (exitCode == Exit.USAGE) {
            console.err().println("Try: " + command + " --help");
        }
        return exitCode;
    }
}
