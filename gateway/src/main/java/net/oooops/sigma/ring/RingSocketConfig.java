package net.oooops.sigma.ring;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringChannelOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a {@link RingSocketChannel}: Netty's own, and those of its socket. */
final class RingSocketConfig extends DefaultChannelConfig {
    private static final FixedRecvByteBufAllocator SIZED_BY_WHAT_CAME = new FixedRecvByteBufAllocator(2048);

    private final RingSocketChannel owner;
    private final Socket socket;
    private volatile boolean allowHalfClosure;

    /** As Linux numbers them; Netty has no name for these. */
    private static final int IPPROTO_TCP = 6;

    private static final int TCP_QUICKACK = 12;

    RingSocketConfig(RingSocketChannel channel, Socket socket) {
        super(channel, SIZED_BY_WHAT_CAME);
        this.owner = channel;
        this.socket = socket;
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
    @SuppressWarnings("unchecked") // each option's own type
    public <T> @Nullable T getOption(ChannelOption<T> option) {
        if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            return (T) Boolean.valueOf(allowHalfClosure);
        }
        try {
            if (option.equals(ChannelOption.TCP_NODELAY)) {
                return (T) Boolean.valueOf(socket.isTcpNoDelay());
            }
            if (option.equals(ChannelOption.SO_KEEPALIVE)) {
                return (T) Boolean.valueOf(socket.isKeepAlive());
            }
            if (option.equals(ChannelOption.SO_LINGER)) {
                return (T) Integer.valueOf(socket.getSoLinger());
            }
            if (option.equals(ChannelOption.SO_RCVBUF)) {
                return (T) Integer.valueOf(socket.getReceiveBufferSize());
            }
            if (option.equals(ChannelOption.SO_SNDBUF)) {
                return (T) Integer.valueOf(socket.getSendBufferSize());
            }
            if (option instanceof RawUnixChannelOption raw) {
                ByteBuffer told = ByteBuffer.allocate(raw.length());
                socket.getRawOpt(raw.level(), raw.optname(), told);
                return (T) told.flip();
            }
        } catch (IOException e) {
            throw new ChannelException(e);
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            allowHalfClosure = (Boolean) value;
            return true;
        }
        try {
            return setOnSocket(option, value) || super.setOption(option, value);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    private <T> boolean setOnSocket(ChannelOption<T> option, T value) throws IOException {
        if (option.equals(ChannelOption.TCP_NODELAY)) {
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

    @Override
    protected void autoReadCleared() {
        owner.pauseReading();
    }
}
