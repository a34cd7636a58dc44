package net.oooops.sigma.ring;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a {@link RingServerChannel}: Netty's own, and those of its socket. */
final class RingServerConfig extends DefaultChannelConfig {
    private final RingServerChannel owner;
    private final Socket socket;
    private volatile int backlog = NetUtil.SOMAXCONN;

    RingServerConfig(RingServerChannel channel, Socket socket) {
        // That more wait isn't told by a descriptor, which stands for the bytes that were read.
        super(channel, new ServerChannelRecvByteBufAllocator().respectMaybeMoreData(false));
        this.owner = channel;
        this.socket = socket;
    }

    /** How many connections may wait until they are accepted. */
    int backlog() {
        return backlog;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.SO_BACKLOG,
                ChannelOption.SO_REUSEADDR,
                ChannelOption.SO_RCVBUF,
                UnixChannelOption.SO_REUSEPORT);
    }

    @Override
    @SuppressWarnings("unchecked") // each option's own type
    public <T> @Nullable T getOption(ChannelOption<T> option) {
        if (option.equals(ChannelOption.SO_BACKLOG)) {
            return (T) Integer.valueOf(backlog);
        }
        try {
            if (option.equals(ChannelOption.SO_REUSEADDR)) {
                return (T) Boolean.valueOf(socket.isReuseAddress());
            }
            if (option.equals(UnixChannelOption.SO_REUSEPORT)) {
                return (T) Boolean.valueOf(socket.isReusePort());
            }
            if (option.equals(ChannelOption.SO_RCVBUF)) {
                return (T) Integer.valueOf(socket.getReceiveBufferSize());
            }
        } catch (IOException e) {
            throw new ChannelException(e);
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option.equals(ChannelOption.SO_BACKLOG)) {
            backlog = (Integer) value;
            return true;
        }
        try {
            return setOnSocket(option, value) || super.setOption(option, value);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    private <T> boolean setOnSocket(ChannelOption<T> option, T value) throws IOException {
        if (option.equals(ChannelOption.SO_REUSEADDR)) {
            socket.setReuseAddress((Boolean) value);
        } else if (option.equals(UnixChannelOption.SO_REUSEPORT)) {
            socket.setReusePort((Boolean) value);
        } else if (option.equals(ChannelOption.SO_RCVBUF)) {
            socket.setReceiveBufferSize((Integer) value);
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
