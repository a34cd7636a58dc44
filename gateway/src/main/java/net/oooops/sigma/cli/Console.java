package net.oooops.sigma.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Where commands write, and read where they are told to.
 *
 * @param out what was asked for
 * @param err what went wrong
 * @param in standard input
 */
public record Console(PrintStream out, PrintStream err, InputStream in) {

    /** One with nothing to read. */
    public Console(PrintStream out, PrintStream err) {
        this(out, err, InputStream.nullInputStream());
    }

    /** The process's own, in UTF-8: that is what sigma.json is written in, and what is shown of it. */
    static Console ofProcess() {
        return new Console(stream(FileDescriptor.out), stream(FileDescriptor.err), System.in);
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }
}
