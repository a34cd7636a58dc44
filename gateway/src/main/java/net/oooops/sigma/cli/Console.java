package net.oooops.sigma.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/**
 * Where commands write, read where they are told to, and whom they may ask.
 *
 * @param out what was asked for
 * @param err what went wrong
 * @param in what comes in
 * @param interactive whether somebody at a terminal reads {@code out} and writes {@code in}
 */
public record Console(PrintStream out, PrintStream err, InputStream in, BooleanSupplier interactive) {

    /** Where commands write; nothing comes in, and nobody can be asked. */
    public Console(PrintStream out, PrintStream err) {
        this(out, err, InputStream.nullInputStream(), () -> false);
    }

    /** The process's own, in UTF-8: that is what sigma.json is written in, and what is shown of it. */
    static Console ofProcess() {
        return new Console(
                stream(FileDescriptor.out),
                stream(FileDescriptor.err),
                new FileInputStream(FileDescriptor.in),
                new AtTerminal());
    }

    /** Asks the system, once that matters. */
    private static final class AtTerminal implements BooleanSupplier {
        @Override
        @SuppressWarnings("SystemConsoleNull") // Null where nobody types, but with the module jdk.internal.le
        public boolean getAsBoolean() {
            java.io.Console terminal = System.console();
            return terminal != null && terminal.isTerminal();
        }
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }
}
