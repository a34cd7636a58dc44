package net.oooops.sigma.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Where commands write.
 *
 * @param out what was asked for
 * @param err what went wrong
 */
public record Console(PrintStream out, PrintStream err) {

    /** The process's own, in UTF-8: that is what sigma.json is written in, and what is shown of it. */
    static Console ofProcess() {
        return new Console(stream(FileDescriptor.out), stream(FileDescriptor.err));
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }
}
