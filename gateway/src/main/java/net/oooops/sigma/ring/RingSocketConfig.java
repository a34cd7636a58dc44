package net.oooops.sigma.ring;

import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.uring.IoUringChannelOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a {@link RingSocketChannel}. Any thread. */
final class RingSocketConfig extends RingConfig {
    private static final FixedRecvByteBufAllocator SIZED_BY_WHAT_CAME = new FixedRecvByteBufAllocator(2048);

    private volatile boolean allowHalfClosure;

    /** As Linux numbers them; Netty has no name for these. */
    private static final int IPPROTO_TCP = 6;

    private static final int TCP_QUICKACK = 12;

    RingSocketConfig(RingSocketChannel channel) {
        super(channel, SIZED_BY_WHAT_CAME);
    }

    boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.TCP_NODELAY,
                ChannelOption.SO_KEEPALIVE,
                ChannelOption.SO_LINGER,
                ChannelOption.SO_RCVBUF,
                ChannelOption.SO_SNDBUF,
                ChannelOption.ALLOW_HALF_CLOSURE);
    }

    @Override
    @Nullable Object added(ChannelOption<?> option) throws IOException {
        if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            return allowHalfClosure;
        }
        if (option.equals(ChannelOption.TCP_NODELAY)) {
            return socket.isTcpNoDelay();
        }
        if (option.equals(ChannelOption.SO_KEEPALIVE)) {
            return socket.isKeepAlive();
        }
        if (option.equals(ChannelOption.SO_LINGER)) {
            return socket.getSoLinger();
        }
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            return socket.getReceiveBufferSize();
        }
        if (option.equals(ChannelOption.SO_SNDBUF)) {
            return socket.getSendBufferSize();
        }
        return option instanceof RawUnixChannelOption raw ? told(raw) : null;
    }

    private ByteBuffer told(RawUnixChannelOption option) throws IOException {
        ByteBuffer told = ByteBuffer.allocate(option.length());
        socket.getRawOpt(option.level(), option.optname(), told);
        return told.flip();
    }

    @Override
    boolean setAdded(ChannelOption<?> option, Object value) throws IOException {
        if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            allowHalfClosure = (Boolean) value;
        } else if (option.equals(ChannelOption.TCP_NODELAY)) {
            socket.setTcpNoDelay((Boolean) value);
        } else if (option.equals(ChannelOption.SO_KEEPALIVE)) {
            socket.setKeepAlive((Boolean) value);
        } else if (option.equals(ChannelOption.SO_LINGER)) {
            socket.setSoLinger((Integer) value);
        } else if (option.equals(ChannelOption.SO_RCVBUF)) {
            socket.setReceiveBufferSize((Integer) value);
        } else if (option.equals(ChannelOption.SO_SNDBUF)) {
            socket.setSendBufferSize((Integer) value);
        } else if (option.equals(IoUringChannelOption.TCP_QUICKACK)) {
            socket.setIntOpt(IPPROTO_TCP, TCP_QUICKACK, (Boolean) value ? 1 : 0);
        } else {
            return false;
        }
        return true;
    }
}
