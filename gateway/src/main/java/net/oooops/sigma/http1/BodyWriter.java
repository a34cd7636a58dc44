package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * The body of one message after the other on its way out of a connection, as the head before it says (RFC 9112 section 6): in chunks, or as it
 * is. Once the protocol was switched bytes pass as they are, and the end is that of the direction.
 *
 * <p>Called on the connection's event loop only.
 */
final class BodyWriter {
    private final Outlet outlet;
    private final HeadWriter scratch;
    private boolean chunked;
    private @Nullable TunnelSide tunnel;

    BodyWriter(Outlet outlet, HeadWriter scratch) {
        this.outlet = outlet;
        this.scratch = scratch;
    }

    /** A body begins. */
    void begin(boolean inChunks) {
        chunked = inChunks;
    }

    /** The protocol is switched. */
    void switchTo(TunnelSide side) {
        tunnel = side;
        chunked = false;
    }

    /** Whether the protocol was switched. */
    boolean isSwitched() {
        return tunnel != null;
    }

    /** Whether parts of files may be written as they are. */
    boolean takesFiles() {
        return tunnel == null && !chunked;
    }

    /** Writes the next {@code count} bytes of {@code in}, and moves over them. */
    void content(ByteBuf in, int count) {
        if (tunnel != null && !tunnel.takesOutput()) {
            in.skipBytes(count);
        } else if (chunked) {
            Chunks.write(outlet, in, count);
        } else {
            outlet.content(in, count);
        }
    }

    /** Writes prepared bytes of a body that isn't in chunks. */
    void content(byte[] prepared, int length) {
        if (tunnel == null || tunnel.takesOutput()) {
            outlet.content(prepared, length);
        }
    }

    /** Writes the end. */
    void end(@Nullable Trailers trailers) {
        if (tunnel != null) {
            tunnel.endOutput();
        } else if (chunked) {
            Chunks.end(outlet, trailers, scratch);
        }
    }
}
