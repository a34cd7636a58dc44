package net.oooops.sigma.listen;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.InetSocketAddress;
import net.oooops.sigma.ring.RingSocketChannel;

/**
 * Binds a Listener's address on a Worker's event loop. What is accepted stays on that loop, or, where one acceptor serves all
 * Workers, goes round their loops.
 */
public final class Binding {
    private static final int BACKLOG = 4096;
    /** Netty's 16 are few for a burst of thousands: each turn in between serves all that were accepted before. */
    private static final int ACCEPTS_PER_TURN = 256;

    private static final Later LATER = new Later();
    private static final Rings RINGS = new Rings();

    private final SocketTransport transport;
    private final SocketOptions options;

    /** Binds sockets of that transport, with those options for what they accept. */
    public Binding(SocketTransport transport, SocketOptions options) {
        this.transport = transport;
        this.options = options;
    }

    /**
     * Binds for one of several Workers, or for the only one: each has a socket of its own, and the kernel shares connections
     * out among them ({@link SocketTransport#sharedPort}).
     *
     * @param connections adds the handler of each accepted connection, on {@code loop}
     */
    public ChannelFuture bindOwn(InetSocketAddress address, EventLoop loop, ChannelHandler connections) {
        ServerBootstrap bootstrap = bootstrap(connections).group(loop);
        ChannelOption<Boolean> sharedPort = transport.sharedPort();
        if (sharedPort != null) {
            bootstrap.option(sharedPort, true);
        }
        return bootstrap.bind(address);
    }

    /**
     * Binds once for all Workers.
     *
     * @param acceptor the event loop that accepts
     * @param loops the Workers' event loops
     * @param connections adds the handler of each accepted connection, on that connection's event loop
     */
    public ChannelFuture bindForAll(
            InetSocketAddress address, EventLoop acceptor, EventLoopGroup loops, ChannelHandler connections) {
        return bootstrap(connections).group(acceptor, loops).bind(address);
    }

    private ServerBootstrap bootstrap(ChannelHandler connections) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .channelFactory(transport.serverChannels())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new ServerChannelRecvByteBufAllocator()
                                .respectMaybeMoreData(false)
                                .maxMessagesPerRead(ACCEPTS_PER_TURN))
                .childHandler(connections);
        switch (transport.name()) {
            case "epoll" -> bootstrap.handler(LATER);
            case "io_uring" -> bootstrap.handler(RINGS);
            default -> {
                // Connections are passed on as they come.
            }
        }
        options.applyTo(bootstrap);
        return bootstrap;
    }

    /**
     * Passes accepted connections on when the events at hand have been handled. With epoll these are known by their
     * descriptors, and Netty 4.2.18 gives an event of a connection that was closed meanwhile to the one that has its descriptor
     * now: that one would be taken for closed by its peer.
     */
    @Sharable
    private static final class Later extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object accepted) {
            ctx.channel().eventLoop().execute(() -> ctx.fireChannelRead(accepted));
        }
    }

    /** Has connections that Netty accepted driven by {@link RingSocketChannel}. */
    @Sharable
    private static final class Rings extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object accepted) {
            ctx.fireChannelRead(new RingSocketChannel((IoUringSocketChannel) accepted));
        }
    }
}
