package net.oooops.sigma.control;

import io.netty.channel.ChannelFactory;
import io.netty.channel.ServerChannel;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.transport.Transport;
import net.oooops.sigma.listen.Binding;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.observe.RepeatedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Vert.x's transport of Java's own sockets, where a server that can't accept, as there is no file descriptor left, says so once in a while, waits
 * for a moment and goes on. Netty's own acceptor has each failure logged with its stack.
 */
final class SteadyNio extends NioTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(SteadyNio.class);

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
        ChannelFactory<? extends ServerChannel> channels = super.serverChannelFactory(domainSocket);
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
