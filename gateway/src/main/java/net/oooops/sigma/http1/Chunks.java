package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/** Writes bodies in chunks (RFC 9112 section 7.1). */
final class Chunks {
    private static final byte[] LAST = Octets.ascii("0\r\n");
    private static final byte[] HEX = Octets.ascii("0123456789abcdef");

    private Chunks() {}

    /** Writes the next {@code bytes} bytes of {@code in} as one chunk; none are no chunk. */
    static void write(Outlet outlet, ByteBuf in, int bytes) {
        if (bytes == 0) {
            return;
        }
        int digits = (35 - Integer.numberOfLeadingZeros(bytes)) / 4;
        ByteBuf frame = outlet.reserve(digits + 2, Outlet.FRAME_BYTES + Math.min(bytes, Outlet.COPY_BYTES_MAX));
        for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
            frame.writeByte(HEX[bytes >>> shift & 0xF]);
        }
        frame.writeByte(Octets.CR).writeByte(Octets.LF);
        outlet.content(in, bytes);
        outlet.reserve(2, Outlet.FRAME_BYTES).writeByte(Octets.CR).writeByte(Octets.LF);
    }

    /** Writes the end of a body. */
    static void end(Outlet outlet, @Nullable Trailers trailers, HeadWriter scratch) {
        scratch.begin().append(LAST);
        if (trailers != null) {
            scratch.fields(trailers);
        }
        scratch.end();
        scratch.copyTo(outlet.reserve(scratch.length(), scratch.length()));
    }
}
