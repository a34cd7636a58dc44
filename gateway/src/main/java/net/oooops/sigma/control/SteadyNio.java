package net.oooops.sigma.control;

import io.netty.channel.ChannelFactory;
import io.netty.channel.ServerChannel;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.transport.Transport;
import java.net.InetAddress;
import net.oooops.sigma.listen.Binding;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.observe.RepeatedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Vert.x's transport of Java's own sockets, where a server that can't accept, as there is no file descriptor left, says so once in a while, waits
 * for a moment and goes on. Netty's own acceptor has each failure logged with its stack.
 *
 * <p>Vert.x asks for a socket before it says where that is to be bound: {@link #listenAt} says so, for the servers that begin from then on.
 */
final class SteadyNio extends NioTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(SteadyNio.class);

    private volatile @Nullable InetAddress address;

    /** Servers that begin from now on do so at that address: one of IPv4 has a socket of IPv4. */
    void listenAt(InetAddress where) {
        address = where;
    }

    @Override
    public String name() {
        return "nio";
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return null;
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return this;
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        ChannelFactory<? extends ServerChannel> channels =
                domainSocket ? super.serverChannelFactory(true) : SocketTransport.nioServerChannels(address);
        return () -> {
            ServerChannel channel = channels.newChannel();
            RepeatedLog log = new RepeatedLog();
            channel.pipeline().addLast(Binding.pausing(cause -> say(log, cause)));
            return channel;
        };
    }

    private static void say(RepeatedLog log, Throwable cause) {
        String again = log.due(SteadyNio.class, System.nanoTime());
        if (again != null) {
            String why = Descriptors.areOut(cause) ? Descriptors.text(cause) : cause.toString();
            LOG.warn("admin: no connection can be accepted, {}{}", why, again);
        }
    }
}
