package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Octets;

/** What a connection of HTTP/2 begins with (RFC 9113 section 3.4): a request that HTTP/1 has to refuse, for its version. */
final class Preface {
    private static final byte[] LINE = Octets.ascii("PRI * HTTP/2.0\r\n");

    private Preface() {}

    /** Whether that is what was refused. */
    static boolean isBegunIn(HttpRequestHead refused) {
        return refused.storedStartsWith(LINE);
    }

    /** All that came: what is stored in the head, and the rest, which is read. The caller's then. */
    static ByteBuf withRest(HttpRequestHead refused, ByteBuf rest, ByteBufAllocator alloc) {
        ByteBuf all = alloc.buffer(refused.length() + rest.readableBytes());
        return all.writeBytes(refused.bytes(), 0, refused.length()).writeBytes(rest);
    }
}
