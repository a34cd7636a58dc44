package net.oooops.sigma.observe;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Where lines are written. Used by the writing thread only. */
interface LogSink extends Closeable {
    /**
     * Writes all of {@code bytes}.
     *
     * @throws IOException where not all could be written; the position tells how much was
     */
    void write(ByteBuffer bytes) throws IOException;
}
