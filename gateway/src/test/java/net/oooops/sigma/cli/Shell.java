package net.oooops.sigma.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What a user sees: both streams of a command as they came. */
final class Shell {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** Its streams. */
    Console console() {
        return new Console(stream(out), stream(err));
    }

    /** A console with both streams in one, as a terminal shows them. */
    Console terminal() {
        return new Console(stream(out), stream(out));
    }

    /** What was written to standard output. */
    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    /** What was written to standard error. */
    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private static PrintStream stream(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }
}
