package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.Octets;

/** Writes header blocks of one connection: field lines, as {@link HeadWriter} has them, compressed and in frames. */
final class BlockWriter {
    private final Http2Room room;
    private final FrameWriter frames;
    private final HpackEncoder encoder = new HpackEncoder();

    BlockWriter(Http2Room room, FrameWriter frames) {
        this.room = room;
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
        encoder.status(status, block);
        encode(lines, block);
        return frames.block(streamId, block, endsStream);
    }

    /** Writes the fields behind a body, and ends the stream. How many bytes that took. */
    int trailers(int streamId, HeadWriter lines) {
        ByteBuf block = room.block();
        encoder.begin(block);
        encode(lines, block);
        return frames.block(streamId, block, true);
    }

    private void encode(HeadWriter lines, ByteBuf block) {
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
            encoder.field(bytes, at, nameEnd, valueStart, valueEnd, block);
            at = lineEnd + 2;
        }
    }

    private static boolean isBlank(byte b) {
        return b == Octets.SP || b == Octets.HT;
    }
}
