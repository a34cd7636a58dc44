package net.oooops.sigma.listen;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.unix.Errors;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.epoll.LeanServerChannel;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.ring.RingServerChannel;

/**
 * Binds a Listener's address on a Worker's event loop. What is accepted stays on that loop, or, where one acceptor serves all
 * Workers, goes round their loops. Where accepting fails for want of something, it pauses for a moment and goes on.
 */
public final class Binding {
    private static final int BACKLOG = 4096;
    /** Netty's 16 are few for a burst of thousands: each turn in between serves all that were accepted before. */
    private static final int ACCEPTS_PER_TURN = 256;

    /** How long nothing is accepted after a failure: it comes from a want of what only time gives back, descriptors above all. */
    static final long PAUSE_MILLIS = 200;

    /**
     * Errors of the one connection that was to be accepted, by accept(2), as Netty has them: it is gone, and all others wait. Of Linux: EPROTO,
     * ENOPROTOOPT, EOPNOTSUPP, ENETDOWN, ENETUNREACH, ECONNABORTED, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENONET; then the BSDs' ECONNABORTED. None
     * else: what stays as it is, such as a socket that no longer listens, would be tried again without end.
     */
    private static final Set<Integer> OF_ONE = Set.of(-71, -92, -95, -100, -101, -103, -110, -112, -113, -64, -53);

    private static final AttributeKey<Boolean> LEFT = AttributeKey.valueOf(Binding.class, "left");

    /** Is told of what couldn't be accepted for want of something. Accepting goes on a moment later. */
    @FunctionalInterface
    public interface Failures {
        /** Called on the event loop that accepts. */
        void onAcceptFailed(Throwable cause);
    }

    private final SocketTransport transport;
    private final SocketOptions options;

    /** Binds sockets of that transport, with those options for what they accept. */
    public Binding(SocketTransport transport, SocketOptions options) {
        this.transport = transport;
        this.options = options;
    }

    /**
     * Binds for one of several Workers, or for the only one: each has a socket of its own, and the kernel shares connections
     * out among them ({@link SocketTransport#sharedPort}). Nothing is accepted before the channel is told to read.
     *
     * @param connections adds the handler of each accepted connection, on {@code loop}
     */
    public ChannelFuture bindOwn(
            InetSocketAddress address, EventLoop loop, ChannelHandler connections, Failures failures) {
        ServerBootstrap bootstrap = bootstrap(transport.serverChannels(address.getAddress()), connections, failures)
                .group(loop);
        ChannelOption<Boolean> sharedPort = transport.sharedPort();
        if (sharedPort != null) {
            bootstrap.option(sharedPort, true);
        }
        return bootstrap.bind(address);
    }

    /**
     * Binds once for all Workers. Nothing is accepted before the channel is told to read.
     *
     * @param acceptor the event loop that accepts
     * @param loops the Workers' event loops
     * @param connections adds the handler of each accepted connection, on that connection's event loop
     */
    public ChannelFuture bindForAll(
            InetSocketAddress address,
            EventLoop acceptor,
            EventLoopGroup loops,
            ChannelHandler connections,
            Failures failures) {
        return bootstrap(transport.serverChannels(address.getAddress()), connections, failures)
                .group(acceptor, loops)
                .bind(address);
    }

    /** Whether sockets that another process has passed can be taken over. */
    public static boolean canAdopt(SocketTransport transport) {
        return transport.name().equals("epoll") || transport.name().equals("io_uring");
    }

    /**
     * Takes over a socket that listens already; it is closed with the channel, or where this fails. Nothing is accepted before the channel is told to read.
     *
     * @param acceptor the event loop that accepts
     * @param loops the event loops of connections: that one alone, or all Workers'
     * @param connections adds the handler of each accepted connection, on that connection's event loop
     * @throws IOException where it can't be
     */
    public ChannelFuture adopt(
            PassedSocket socket,
            EventLoop acceptor,
            EventLoopGroup loops,
            ChannelHandler connections,
            Failures failures)
            throws IOException {
        socket.unblock();
        ServerBootstrap bootstrap = bootstrap(() -> listening(socket.descriptor()), connections, failures);
        if (!socket.isNoDelay()) {
            // Connections have what it had at their handshake, and some may wait in it.
            bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
        }
        return bootstrap.group(acceptor, loops).register();
    }

    private ServerChannel listening(int descriptor) {
        return transport.name().equals("epoll") ? new LeanServerChannel(descriptor) : new RingServerChannel(descriptor);
    }

    /**
     * Whether connections are accepted from now on, or left to others that have the same socket; where it ends nothing is accepted any more once that is done.
     *
     * @param listening that this class made
     */
    public static Future<?> accept(Channel listening, boolean whether) {
        // On its event loop: from another thread Netty lets a read come to its end that has been asked for already.
        return listening.eventLoop().submit(() -> {
            listening.attr(LEFT).set(!whether);
            listening.config().setAutoRead(whether);
        });
    }

    private ServerBootstrap bootstrap(
            ChannelFactory<? extends ServerChannel> channels, ChannelHandler connections, Failures failures) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .channelFactory(channels)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new ServerChannelRecvByteBufAllocator()
                                .respectMaybeMoreData(false)
                                .maxMessagesPerRead(Descriptors.atOnce(ACCEPTS_PER_TURN)))
                .handler(new Acceptor(failures))
                .childHandler(connections);
        options.applyTo(bootstrap, transport.inheritsNoDelay());
        return bootstrap;
    }

    /** To be the first handler of a listening channel that another one makes: where accepting fails, it goes on as here. */
    public static ChannelHandler pausing(Failures failures) {
        return new Acceptor(failures);
    }

    /** Whether it says something of one connection, whose client has given up, say, and nothing of the next one. */
    private static boolean isOfOne(Throwable failure) {
        return failure instanceof Errors.NativeIoException known && OF_ONE.contains(known.expectedErr());
    }

    /** Stands before Netty's own acceptor, which would log each failure and pause for a second. */
    private static final class Acceptor extends ChannelInboundHandlerAdapter {
        private final Failures failures;

        Acceptor(Failures failures) {
            this.failures = failures;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            Channel listening = ctx.channel();
            if (isLeft(listening)) {
                return;
            }
            boolean goesOn = isOfOne(cause);
            if (!goesOn) {
                failures.onAcceptFailed(cause);
            }
            if (listening.config().isAutoRead()) {
                // Switched off and on again in any case: a transport may take it for ended.
                listening.config().setAutoRead(false);
                if (goesOn) {
                    listening.eventLoop().execute(() -> goOn(listening));
                } else {
                    listening.eventLoop().schedule(() -> goOn(listening), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        }

        private static boolean isLeft(Channel listening) {
            return Boolean.TRUE.equals(listening.attr(LEFT).get());
        }

        private static void goOn(Channel listening) {
            if (listening.isOpen() && !isLeft(listening)) {
                listening.config().setAutoRead(true);
            }
        }
    }
}
