package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.Outlet;

/** Writes frames of one connection (RFC 9113 sections 4 and 6). Nothing leaves before its outlet is flushed. */
final class FrameWriter {
    /** What many small answers of one turn of the event loop fit into. */
    private static final int ROOM_BYTES = 4096;

    private static final int SETTING_BYTES = 6;

    private final Outlet outlet;
    private long controlBytes;

    FrameWriter(Outlet outlet) {
        this.outlet = outlet;
    }

    private ByteBuf frame(int payloadBytes, int type, int flags, int streamId) {
        return header(
                outlet.reserve(Frames.HEADER_BYTES + payloadBytes, ROOM_BYTES), payloadBytes, type, flags, streamId);
    }

    private ByteBuf control(int payloadBytes, int type, int flags, int streamId) {
        controlBytes += Frames.HEADER_BYTES + payloadBytes;
        return frame(payloadBytes, type, flags, streamId);
    }

    /** How many bytes of frames were written that a peer can have the gateway answer with, since {@link #forgetControls}. */
    long controlBytes() {
        return controlBytes;
    }

    /** They have left, or as good as. */
    void forgetControls() {
        controlBytes = 0;
    }

    private static ByteBuf header(ByteBuf out, int payloadBytes, int type, int flags, int streamId) {
        return out.writeMedium(payloadBytes).writeByte(type).writeByte(flags).writeInt(streamId);
    }

    /** Writes the next {@code count} bytes of {@code in} as a part of a body, and moves over them. */
    void data(int streamId, ByteBuf in, int count, boolean endsStream) {
        int flags = endsStream ? Frames.END_STREAM : 0;
        header(outlet.reserve(Frames.HEADER_BYTES, ROOM_BYTES), count, Frames.DATA, flags, streamId);
        outlet.content(in, count);
    }

    /** Writes prepared bytes as a part of a body. */
    void data(int streamId, byte[] prepared, int count, boolean endsStream) {
        frame(count, Frames.DATA, endsStream ? Frames.END_STREAM : 0, streamId).writeBytes(prepared, 0, count);
    }

    /** Writes the end of a body. */
    void endOfData(int streamId) {
        frame(0, Frames.DATA, Frames.END_STREAM, streamId);
    }

    /** Writes a header block, in as many frames as it takes. How many bytes that were. */
    int block(int streamId, ByteBuf block, boolean endsStream) {
        int written = 0;
        int type = Frames.HEADERS;
        int flags = endsStream ? Frames.END_STREAM : 0;
        do {
            int count = Math.min(block.readableBytes(), Frames.PAYLOAD_BYTES_MAX);
            boolean last = count == block.readableBytes();
            frame(count, type, last ? flags | Frames.END_HEADERS : flags, streamId)
                    .writeBytes(block, count);
            written += Frames.HEADER_BYTES + count;
            type = Frames.CONTINUATION;
            flags = 0;
        } while (block.isReadable());
        return written;
    }

    void reset(int streamId, Http2Error why) {
        control(4, Frames.RST_STREAM, 0, streamId).writeInt(why.code());
    }

    void windowUpdate(int streamId, int bytes) {
        control(4, Frames.WINDOW_UPDATE, 0, streamId).writeInt(bytes);
    }

    /** Writes settings: each key with its value behind it. */
    void settings(int... keysAndValues) {
        ByteBuf out = frame(keysAndValues.length / 2 * SETTING_BYTES, Frames.SETTINGS, 0, 0);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            out.writeShort(keysAndValues[i]).writeInt(keysAndValues[i + 1]);
        }
    }

    void settingsAck() {
        control(0, Frames.SETTINGS, Frames.ACK, 0);
    }

    void ping(long content, boolean ack) {
        control(Frames.PING_BYTES, Frames.PING, ack ? Frames.ACK : 0, 0).writeLong(content);
    }

    void goAway(int lastStreamId, Http2Error why) {
        frame(8, Frames.GOAWAY, 0, 0).writeInt(lastStreamId).writeInt(why.code());
    }
}
