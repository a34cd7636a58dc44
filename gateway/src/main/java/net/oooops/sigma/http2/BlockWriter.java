package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.WebSocketKey;
import org.jspecify.annotations.Nullable;

/** Writes header blocks of one connection: field lines, as {@link HeadWriter} has them, compressed and in frames. */
final class BlockWriter {
    private static final byte[] CONNECT = Octets.ascii("CONNECT");
    private static final byte[] PROTOCOL = Octets.ascii(":protocol");
    private static final byte[] WEBSOCKET_KEY = Octets.ascii("sec-websocket-key");
    private static final byte[] NO_NAME = {};

    private final Http2Room room;
    private final FrameWriter frames;
    private final boolean secure;
    private final HpackEncoder encoder = new HpackEncoder();

    /** @param secure whether the connection is encrypted, so that the scheme of requests is https */
    BlockWriter(Http2Room room, FrameWriter frames, boolean secure) {
        this.room = room;
        this.secure = secure;
        this.frames = frames;
    }

    /** The peer said how large a table may be (SETTINGS_HEADER_TABLE_SIZE). */
    void tableBytesMax(int bytes) {
        encoder.tableBytesMax(bytes);
    }

    /** Writes the head of a response. How many bytes that took. */
    int response(int streamId, int status, HeadWriter lines, boolean endsStream) {
        ByteBuf block = room.block();
        encoder.begin(block);
        encoder.status(status);
        encode(lines);
        return frames.block(streamId, block, endsStream);
    }

    /**
     * Writes the head of a request.
     *
     * @param authority the node's own, or null where that of the request goes on
     * @return how many bytes that took
     */
    int request(int streamId, HttpRequestHead head, byte @Nullable [] authority, HeadWriter lines, boolean endsStream) {
        ByteBuf block = room.block();
        encoder.begin(block);
        encoder.pseudo(HpackStatic.METHOD_GET, head.sentMethod(), 0, head.sentMethodBytes());
        encoder.indexed(secure ? HpackStatic.SCHEME_HTTPS : HpackStatic.SCHEME_HTTP);
        authority(head, authority);
        path(head);
        encode(lines);
        return frames.block(streamId, block, endsStream);
    }

    /**
     * Writes the head of a CONNECT: for the protocol that the request asks for (RFC 8441 section 4), or, where it is one itself, of the
     * authority alone (RFC 9113 section 8.5).
     *
     * @param authority the node's own, or null where that of the request goes on
     * @return how many bytes that took
     */
    int connect(int streamId, HttpRequestHead head, byte @Nullable [] authority, HeadWriter lines) {
        ByteBuf block = room.block();
        encoder.begin(block);
        encoder.pseudo(HpackStatic.METHOD_GET, CONNECT, 0, CONNECT.length);
        if (head.isSwitching()) {
            protocol(head);
            encoder.indexed(secure ? HpackStatic.SCHEME_HTTPS : HpackStatic.SCHEME_HTTP);
            path(head);
        }
        authority(head, authority);
        // The handshake of HTTP/1.1 isn't that of HTTP/2.
        encode(lines, WEBSOCKET_KEY);
        return frames.block(streamId, block, false);
    }

    /** The one protocol with a handshake of its own is named as it was registered: nodes compare bytes. */
    private void protocol(HttpRequestHead head) {
        HeadWriter field = room.target().begin();
        field.append(PROTOCOL);
        if (head.protocol.is(WebSocketKey.WEBSOCKET)) {
            field.append(WebSocketKey.WEBSOCKET);
        } else {
            head.protocol.writeTo(field);
        }
        encoder.field(field.bytes(), 0, PROTOCOL.length, PROTOCOL.length, field.length());
    }

    private void authority(HttpRequestHead head, byte @Nullable [] ofNode) {
        if (ofNode != null) {
            encoder.pseudo(HpackStatic.AUTHORITY, ofNode, 0, ofNode.length);
        } else if (head.authorityStart() < head.authorityEnd()) {
            encoder.pseudo(HpackStatic.AUTHORITY, head.received(), head.authorityStart(), head.authorityEnd());
        }
    }

    private void path(HttpRequestHead head) {
        HeadWriter target = room.target().begin();
        target.target(head);
        encoder.path(target.bytes(), target.length());
    }

    /** Writes the fields behind a body, and ends the stream. How many bytes that took. */
    int trailers(int streamId, HeadWriter lines) {
        ByteBuf block = room.block();
        encoder.begin(block);
        encode(lines);
        return frames.block(streamId, block, true);
    }

    private void encode(HeadWriter lines) {
        encode(lines, NO_NAME);
    }

    /** All fields but those of that name, which is all lower case. */
    private void encode(HeadWriter lines, byte[] without) {
        byte[] bytes = lines.bytes();
        int length = lines.length();
        int at = 0;
        while (at < length) {
            int nameEnd = at;
            while (bytes[nameEnd] != ':') {
                nameEnd++;
            }
            int lineEnd = nameEnd;
            while (bytes[lineEnd] != Octets.CR) {
                lineEnd++;
            }
            int valueStart = nameEnd + 1;
            while (valueStart < lineEnd && isBlank(bytes[valueStart])) {
                valueStart++;
            }
            int valueEnd = lineEnd;
            while (valueEnd > valueStart && isBlank(bytes[valueEnd - 1])) {
                valueEnd--;
            }
            if (!Octets.equalsIgnoreCase(bytes, at, nameEnd, without)) {
                encoder.field(bytes, at, nameEnd, valueStart, valueEnd);
            }
            at = lineEnd + 2;
        }
    }

    private static boolean isBlank(byte b) {
        return b == Octets.SP || b == Octets.HT;
    }
}
