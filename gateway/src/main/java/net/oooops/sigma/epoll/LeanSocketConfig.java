package net.oooops.sigma.epoll;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link LeanSocketChannel}. It is a {@link SocketChannelConfig} because Netty's channel asks that one whether a connection may be closed by
 * halves: hence the long list of methods, which ask and set options.
 *
 * <p>Any thread.
 */
final class LeanSocketConfig extends LeanConfig implements SocketChannelConfig {
    /** As Linux numbers them: Netty keeps to itself how it sets that one. */
    static final int IPPROTO_TCP = 6;

    private static final int TCP_QUICKACK = 12;

    private volatile boolean allowHalfClosure;

    LeanSocketConfig(LeanSocketChannel channel, Socket socket) {
        super(channel, socket, new AdaptiveRecvByteBufAllocator());
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.TCP_NODELAY,
                ChannelOption.SO_KEEPALIVE,
                ChannelOption.SO_REUSEADDR,
                ChannelOption.SO_LINGER,
                ChannelOption.SO_SNDBUF,
                ChannelOption.SO_RCVBUF,
                ChannelOption.IP_TOS,
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
        if (option.equals(ChannelOption.SO_REUSEADDR)) {
            return socket.isReuseAddress();
        }
        if (option.equals(ChannelOption.SO_LINGER)) {
            return socket.getSoLinger();
        }
        if (option.equals(ChannelOption.SO_SNDBUF)) {
            return socket.getSendBufferSize();
        }
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            return socket.getReceiveBufferSize();
        }
        return option.equals(ChannelOption.IP_TOS) ? socket.getTrafficClass() : null;
    }

    @Override
    boolean setAdded(ChannelOption<?> option, Object value) throws IOException {
        if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            allowHalfClosure = (Boolean) value;
        } else if (option.equals(ChannelOption.TCP_NODELAY)) {
            socket.setTcpNoDelay((Boolean) value);
        } else if (option.equals(ChannelOption.SO_KEEPALIVE)) {
            socket.setKeepAlive((Boolean) value);
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            socket.setReuseAddress((Boolean) value);
        } else if (option.equals(ChannelOption.SO_LINGER)) {
            socket.setSoLinger((Integer) value);
        } else if (option.equals(ChannelOption.SO_SNDBUF)) {
            socket.setSendBufferSize((Integer) value);
        } else if (option.equals(ChannelOption.SO_RCVBUF)) {
            socket.setReceiveBufferSize((Integer) value);
        } else if (option.equals(ChannelOption.IP_TOS)) {
            socket.setTrafficClass((Integer) value);
        } else if (option.equals(EpollChannelOption.TCP_QUICKACK)) {
            socket.setIntOpt(IPPROTO_TCP, TCP_QUICKACK, (Boolean) value ? 1 : 0);
        } else {
            return false;
        }
        return true;
    }

    private <T> T told(ChannelOption<T> option) {
        return Objects.requireNonNull(getOption(option), "an option of this kind");
    }

    private <T> LeanSocketConfig with(ChannelOption<T> option, T value) {
        setOption(option, value);
        return this;
    }

    // ---- as Netty names them

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public LeanSocketConfig setAllowHalfClosure(boolean allowed) {
        allowHalfClosure = allowed;
        return this;
    }

    @Override
    public boolean isTcpNoDelay() {
        return told(ChannelOption.TCP_NODELAY);
    }

    @Override
    public LeanSocketConfig setTcpNoDelay(boolean value) {
        return with(ChannelOption.TCP_NODELAY, value);
    }

    @Override
    public boolean isKeepAlive() {
        return told(ChannelOption.SO_KEEPALIVE);
    }

    @Override
    public LeanSocketConfig setKeepAlive(boolean value) {
        return with(ChannelOption.SO_KEEPALIVE, value);
    }

    @Override
    public boolean isReuseAddress() {
        return told(ChannelOption.SO_REUSEADDR);
    }

    @Override
    public LeanSocketConfig setReuseAddress(boolean value) {
        return with(ChannelOption.SO_REUSEADDR, value);
    }

    @Override
    public int getSoLinger() {
        return told(ChannelOption.SO_LINGER);
    }

    @Override
    public LeanSocketConfig setSoLinger(int value) {
        return with(ChannelOption.SO_LINGER, value);
    }

    @Override
    public int getSendBufferSize() {
        return told(ChannelOption.SO_SNDBUF);
    }

    @Override
    public LeanSocketConfig setSendBufferSize(int value) {
        return with(ChannelOption.SO_SNDBUF, value);
    }

    @Override
    public int getReceiveBufferSize() {
        return told(ChannelOption.SO_RCVBUF);
    }

    @Override
    public LeanSocketConfig setReceiveBufferSize(int value) {
        return with(ChannelOption.SO_RCVBUF, value);
    }

    @Override
    public int getTrafficClass() {
        return told(ChannelOption.IP_TOS);
    }

    @Override
    public LeanSocketConfig setTrafficClass(int value) {
        return with(ChannelOption.IP_TOS, value);
    }

    @Override
    public LeanSocketConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        // As with Netty's: there is no such thing here.
        return this;
    }

    @Override
    public LeanSocketConfig setConnectTimeoutMillis(int value) {
        super.setConnectTimeoutMillis(value);
        return this;
    }

    @Override
    @Deprecated
    public LeanSocketConfig setMaxMessagesPerRead(int value) {
        super.setMaxMessagesPerRead(value);
        return this;
    }

    @Override
    public LeanSocketConfig setWriteSpinCount(int value) {
        super.setWriteSpinCount(value);
        return this;
    }

    @Override
    public LeanSocketConfig setAllocator(ByteBufAllocator value) {
        super.setAllocator(value);
        return this;
    }

    @Override
    public LeanSocketConfig setRecvByteBufAllocator(RecvByteBufAllocator value) {
        super.setRecvByteBufAllocator(value);
        return this;
    }

    @Override
    public LeanSocketConfig setAutoRead(boolean value) {
        super.setAutoRead(value);
        return this;
    }

    @Override
    public LeanSocketConfig setAutoClose(boolean value) {
        super.setAutoClose(value);
        return this;
    }

    @Override
    public LeanSocketConfig setMessageSizeEstimator(MessageSizeEstimator value) {
        super.setMessageSizeEstimator(value);
        return this;
    }

    @Override
    public LeanSocketConfig setWriteBufferWaterMark(WriteBufferWaterMark value) {
        super.setWriteBufferWaterMark(value);
        return this;
    }
}
