package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A node that counts PINGs as servers of gRPC do by default (grpc-go's {@code handlePing}, grpc-java's {@code KeepAliveEnforcer}): the third that
 * comes too soon ends the connection. Belongs to one event loop.
 */
final class GrpcPingCount extends ChannelInboundHandlerAdapter {
    private static final long APART_NANOS = Duration.ofMinutes(5).toNanos();
    private static final long APART_WITHOUT_STREAMS_NANOS = Duration.ofHours(2).toNanos();
    private static final int STRIKES_MAX = 2;
    /** {@code :status 200}. */
    private static final byte[] STATUS_200 = {(byte) 0x88};

    private final LongSupplier clock;
    private final ByteBuf unread = Unpooled.buffer();
    private @Nullable ChannelHandlerContext ctx;
    private boolean prefaced;
    private boolean silent;
    private int streamsCount;
    private boolean spoke;
    private @Nullable Long lastNanos;
    private int strikes;
    private boolean calmed;
    private final List<Long> pings = new ArrayList<>();

    GrpcPingCount(LongSupplier clock) {
        this.clock = clock;
    }

    /** When PINGs came, in nanoseconds of the clock. */
    List<Long> pings() {
        return pings;
    }

    int strikes() {
        return strikes;
    }

    /** Whether it has told the client to be calmer. */
    boolean isCalmed() {
        return calmed;
    }

    int streamsCount() {
        return streamsCount;
    }

    /** It answers no PING any more. */
    void fallSilent() {
        silent = true;
    }

    void head(int stream) {
        say(Frames.HEADERS, Frames.END_HEADERS, stream, STATUS_200);
    }

    void data(int stream, int bytes) {
        say(Frames.DATA, 0, stream, new byte[bytes]);
    }

    void window(int stream) {
        frame(Frames.WINDOW_UPDATE, 0, stream, new byte[] {0, 0, 0, 1});
    }

    private void say(int type, int flags, int stream, byte[] payload) {
        spoke = true;
        frame(type, flags, stream, payload);
    }

    private void frame(int type, int flags, int stream, byte[] payload) {
        ChannelHandlerContext open = ctx;
        if (open != null) {
            ByteBuf out = Unpooled.buffer(Frames.HEADER_BYTES + payload.length);
            out.writeMedium(payload.length).writeByte(type).writeByte(flags).writeInt(stream);
            open.writeAndFlush(out.writeBytes(payload));
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext opened) {
        ctx = opened;
    }

    @Override
    public void channelRead(ChannelHandlerContext from, Object message) {
        ByteBuf in = (ByteBuf) message;
        unread.writeBytes(in);
        in.release();
        if (!prefaced && unread.readableBytes() >= Frames.PREFACE.length) {
            prefaced = true;
            unread.skipBytes(Frames.PREFACE.length);
            frame(Frames.SETTINGS, 0, 0, new byte[0]);
        }
        while (prefaced && unread.readableBytes() >= Frames.HEADER_BYTES) {
            int length = unread.getUnsignedMedium(unread.readerIndex());
            if (unread.readableBytes() < Frames.HEADER_BYTES + length) {
                return;
            }
            unread.skipBytes(3);
            int type = unread.readByte();
            int flags = unread.readByte();
            unread.skipBytes(4);
            byte[] payload = new byte[length];
            unread.readBytes(payload);
            onFrame(type, flags, payload);
        }
    }

    private void onFrame(int type, int flags, byte[] payload) {
        boolean ack = (flags & Frames.ACK) != 0;
        switch (type) {
            case Frames.HEADERS -> streamsCount++;
            case Frames.RST_STREAM -> streamsCount--;
            case Frames.SETTINGS -> {
                if (!ack) {
                    frame(Frames.SETTINGS, Frames.ACK, 0, new byte[0]);
                }
            }
            case Frames.PING -> {
                if (!ack) {
                    onPing(payload);
                }
            }
            default -> {}
        }
    }

    private void onPing(byte[] payload) {
        long now = clock.getAsLong();
        Long before = lastNanos;
        lastNanos = now;
        pings.add(now);
        if (!silent) {
            frame(Frames.PING, Frames.ACK, 0, payload);
        }
        if (spoke) {
            spoke = false;
            strikes = 0;
            return;
        }
        long apart = streamsCount == 0 ? APART_WITHOUT_STREAMS_NANOS : APART_NANOS;
        if (before != null && now - before < apart) {
            strikes++;
        }
        if (strikes > STRIKES_MAX && !calmed) {
            calmed = true;
            byte[] why = Unpooled.buffer(8)
                    .writeInt(Integer.MAX_VALUE)
                    .writeInt(Http2Error.ENHANCE_YOUR_CALM.code())
                    .array();
            frame(Frames.GOAWAY, 0, 0, why);
        }
    }
}
