package net.oooops.sigma.epoll;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelPromise;
import io.netty.channel.epoll.AbstractEpollStreamChannel;
import io.netty.channel.epoll.EpollChannelConfig;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.LinuxSocket;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.NotYetConnectedException;

/**
 * A TCP connection on epoll. To its handlers it is like Netty's {@link EpollSocketChannel}, with which it has reading and writing in common, but it makes
 * six system calls less from its accept to its close:
 *
 * <ul>
 *   <li>{@code TCP_NODELAY} comes from the socket that listens; Netty sets it for each connection, and asks how large the kernel's buffer for sending is.
 *   <li>Where it is read from the first, it enters epoll's set with that, not by a call of its own.
 *   <li>Closing takes it out of epoll's set by itself, and nobody asks for {@code SO_LINGER}: what is positive there would have the event loop wait.
 * </ul>
 *
 * <p>On the channel's event loop, where nothing else is said.
 */
public final class LeanSocketChannel extends AbstractEpollStreamChannel {
    /** As Linux numbers it. */
    private static final int TCP_CORK = 3;

    private final LeanSocketConfig config;

    /** A channel that is to be connected. */
    public LeanSocketChannel() {
        super(LinuxSocket.newSocketStream(), false);
        config = new LeanSocketConfig(this, socket);
    }

    /** A connection that {@code listening} has accepted. */
    LeanSocketChannel(Channel listening, int accepted, SocketAddress from) {
        super(listening, LinuxSocket.newSocket(accepted), from);
        config = new LeanSocketConfig(this, socket);
    }

    @Override
    public EpollChannelConfig config() {
        return config;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (active && config.isAutoRead()) {
            try {
                setFlag(EpollIoOps.EPOLLIN.value());
            } catch (IOException e) {
                promise.setFailure(e);
                return;
            }
        }
        super.doRegister(promise);
    }

    /**
     * What is flushed from now on is the last: the kernel keeps it until {@link #endHeld}, which follows in the same turn, so that it leaves in one packet with
     * the end. More than a packet leaves at once all the same.
     */
    public void hold() {
        try {
            socket.setIntOpt(LeanSocketConfig.IPPROTO_TCP, TCP_CORK, 1);
        } catch (IOException | ChannelException _) {
            // It has ended already: whoever writes will be told.
        }
    }

    /**
     * All that was held, and the end of the output. The connection is to be closed then: by itself that would reset it where something is unread, and the kernel
     * would throw away what is held.
     */
    public void endHeld() {
        try {
            socket.shutdown(false, true);
        } catch (IOException | NotYetConnectedException _) {
            // It has ended already.
        }
    }

    @Override
    protected void doClose() throws Exception {
        active = false;
        try {
            // First: what is closed is in epoll's set no longer, and needn't be taken out.
            socket.close();
        } finally {
            super.doClose();
        }
    }
}
