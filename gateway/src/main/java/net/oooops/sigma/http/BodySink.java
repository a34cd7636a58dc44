package net.oooops.sigma.http;

import io.netty.buffer.ByteBuf;

/** Where a body goes, in the framing that its head said. Called on the event loop that owns it; nothing leaves before {@link #flush}. */
public interface BodySink {
    /** Writes the next {@code count} bytes of {@code in} as a part of the body, and moves over them. */
    void content(ByteBuf in, int count);

    /** Whether more may be written: not more waits to be sent than may. */
    boolean isWritable();

    /** Sends what was written. */
    void flush();
}
