package net.oooops.sigma.ring;

import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a {@link RingServerChannel}. Any thread. */
final class RingServerConfig extends RingConfig {
    private volatile int backlog = NetUtil.SOMAXCONN;

    RingServerConfig(RingServerChannel channel) {
        // That more wait isn't told by a descriptor, which stands for the bytes that were read.
        super(channel, new ServerChannelRecvByteBufAllocator().respectMaybeMoreData(false));
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
                ChannelOption.TCP_NODELAY,
                UnixChannelOption.SO_REUSEPORT);
    }

    @Override
    @Nullable Object added(ChannelOption<?> option) throws IOException {
        if (option.equals(ChannelOption.SO_BACKLOG)) {
            return backlog;
        }
        if (option.equals(ChannelOption.SO_REUSEADDR)) {
            return socket.isReuseAddress();
        }
        if (option.equals(UnixChannelOption.SO_REUSEPORT)) {
            return socket.isReusePort();
        }
        if (option.equals(ChannelOption.TCP_NODELAY)) {
            return socket.isTcpNoDelay();
        }
        return option.equals(ChannelOption.SO_RCVBUF) ? socket.getReceiveBufferSize() : null;
    }

    @Override
    boolean setAdded(ChannelOption<?> option, Object value) throws IOException {
        if (option.equals(ChannelOption.SO_BACKLOG)) {
            backlog = (Integer) value;
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            socket.setReuseAddress((Boolean) value);
        } else if (option.equals(UnixChannelOption.SO_REUSEPORT)) {
            socket.setReusePort((Boolean) value);
        } else if (option.equals(ChannelOption.SO_RCVBUF)) {
            socket.setReceiveBufferSize((Integer) value);
        } else if (option.equals(ChannelOption.TCP_NODELAY)) {
            socket.setTcpNoDelay((Boolean) value);
        } else {
            return false;
        }
        return true;
    }
}
