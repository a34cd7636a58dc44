package net.oooops.sigma.epoll;

import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a {@link LeanServerChannel}. Any thread. */
final class LeanServerConfig extends LeanConfig {
    private volatile int backlog = NetUtil.SOMAXCONN;

    LeanServerConfig(LeanServerChannel channel, Socket socket) {
        super(channel, socket, new ServerChannelRecvByteBufAllocator());
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
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            return socket.getReceiveBufferSize();
        }
        if (option.equals(ChannelOption.TCP_NODELAY)) {
            return socket.isTcpNoDelay();
        }
        return option.equals(UnixChannelOption.SO_REUSEPORT) ? socket.isReusePort() : null;
    }

    @Override
    boolean setAdded(ChannelOption<?> option, Object value) throws IOException {
        if (option.equals(ChannelOption.SO_BACKLOG)) {
            backlog = (Integer) value;
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            socket.setReuseAddress((Boolean) value);
        } else if (option.equals(ChannelOption.SO_RCVBUF)) {
            socket.setReceiveBufferSize((Integer) value);
        } else if (option.equals(ChannelOption.TCP_NODELAY)) {
            socket.setTcpNoDelay((Boolean) value);
        } else if (option.equals(UnixChannelOption.SO_REUSEPORT)) {
            socket.setReusePort((Boolean) value);
        } else {
            return false;
        }
        return true;
    }
}
