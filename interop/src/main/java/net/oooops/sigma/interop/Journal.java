package net.oooops.sigma.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a node saw, one line each, in a file that outlives it: a line is with the system before the call is answered, so killing the node loses none.
 * Usable on any thread.
 */
public final class Journal {
    /** Begins the line of a call; its text follows. */
    public static final String CALL = "call ";

    /** A client's connection was accepted. */
    public static final String CONNECTED = "connected";

    /** A heartbeat came. */
    public static final String HEARTBEAT = "heartbeat";

    /** Longer lines are cut: of a large call its beginning is enough to know it. */
    private static final int LINE_MAX = 200;

    private final FileChannel file;

    /** A call came in this form. */
    public static String form(int protocol, int version) {
        return "form " + protocol + "/" + version;
    }

    Journal(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }

    void write(String line) {
        String kept = line.substring(0, Math.min(line.length(), LINE_MAX));
        ByteBuffer bytes = ByteBuffer.wrap((kept + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            // One write of an appending file: lines of several threads don't mix.
            file.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
