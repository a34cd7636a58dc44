package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Octets;
import org.jspecify.annotations.Nullable;

/** Writes header blocks of one connection: field lines, as {@link HeadWriter} has them, compressed and in frames. */
final class BlockWriter {
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
        byte[] received = head.received();
        encoder.pseudo(HpackStatic.METHOD_GET, received, 0, head.methodBytes());
        encoder.indexed(secure ? HpackStatic.SCHEME_HTTPS : HpackStatic.SCHEME_HTTP);
        if (authority != null) {
            encoder.pseudo(HpackStatic.AUTHORITY, authority, 0, authority.length);
        } else if (head.authorityStart() < head.authorityEnd()) {
            encoder.pseudo(HpackStatic.AUTHORITY, received, head.authorityStart(), head.authorityEnd());
        }
        HeadWriter target = room.target().begin();
        target.target(head);
        encoder.path(target.bytes(), target.length());
        encode(lines);
        return frames.block(streamId, block, endsStream);
    }

    /** Writes the fields behind a body, and ends the stream. How many bytes that took. */
    int trailers(int streamId, HeadWriter lines) {
        ByteBuf block = room.block();
        encoder.begin(block);
        encode(lines);
        return frames.block(streamId, block, true);
    }

    private void encode(HeadWriter lines) {
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
            encoder.field(bytes, at, nameEnd, valueStart, valueEnd);
            at = lineEnd + 2;
        }
    }

    private static boolean isBlank(byte b) {
        return b == Octets.SP || b == Octets.HT;
    }
}
