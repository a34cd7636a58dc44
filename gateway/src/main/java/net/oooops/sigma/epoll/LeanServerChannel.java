package net.oooops.sigma.epoll;

import io.netty.channel.Channel;
import io.netty.channel.epoll.AbstractEpollServerChannel;
import io.netty.channel.epoll.EpollChannelConfig;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.NativeInetAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A socket on epoll that listens for TCP, Netty's but for what it accepts: {@link LeanSocketChannel}. Those have what it has of {@code TCP_NODELAY}, by Linux.
 *
 * <p>On the channel's event loop.
 */
public final class LeanServerChannel extends AbstractEpollServerChannel {
    private final LeanServerConfig config;

    /**
     * A channel that is to be bound.
     *
     * @param family null for IPv6 that takes IPv4, too, where there is IPv6
     */
    public LeanServerChannel(@Nullable SocketProtocolFamily family) {
        super(LinuxSocket.newSocketStream(family), false);
        config = new LeanServerConfig(this, socket);
    }

    /** Takes over a socket that listens already, and whose calls don't wait. */
    public LeanServerChannel(int listening) {
        super(LinuxSocket.newSocket(listening));
        config = new LeanServerConfig(this, socket);
    }

    @Override
    public EpollChannelConfig config() {
        return config;
    }

    @Override
    protected void doBind(SocketAddress local) throws Exception {
        super.doBind(local);
        socket.listen(config.backlog());
        active = true;
    }

    @Override
    protected Channel newChildChannel(int accepted, byte[] remote, int offset, int length) throws Exception {
        try {
            return new LeanSocketChannel(this, accepted, NativeInetAddress.address(remote, offset, length));
        } catch (RuntimeException | Error e) {
            new FileDescriptor(accepted).close();
            throw e;
        }
    }
}
