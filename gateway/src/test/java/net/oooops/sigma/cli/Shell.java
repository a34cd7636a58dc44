package net.oooops.sigma.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
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

    /** Its streams, and a standard input that isn't a terminal. */
    Console console(String in) {
        return new Console(stream(out), stream(err), bytes(in), () -> false);
    }

    /** A console with somebody at it who types these lines. */
    Console typing(String in) {
        return new Console(stream(out), stream(out), bytes(in), () -> true);
    }

    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
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
