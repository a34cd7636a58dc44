package net.oooops.sigma.observe;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Where lines are written. Used by the writing thread only. */
interface LogSink extends Closeable {
    /**
     * Writes all of {@code bytes}.
     *
     * @throws IOException where not all could be written; the position tells how much was
     */
    void write(ByteBuffer bytes) throws IOException;

    /**
     * What was wrong beside that with how lines are written, though they are, since this was asked last.
     *
     * @return null where nothing was
     */
    default @Nullable IOException takeTrouble() {
        return null;
    }
}
