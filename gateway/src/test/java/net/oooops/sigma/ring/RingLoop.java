package net.oooops.sigma.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Await;

/** An event loop with a ring, and listening sockets on it. A test that starts one is skipped where io_uring doesn't work. */
final class RingLoop implements AutoCloseable {
    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final EventLoopGroup group;
    private final Queue<Channel> accepted = new ConcurrentLinkedQueue<>();

    private RingLoop(EventLoopGroup group) {
        this.group = group;
    }

    static RingLoop start() {
        Needed.transport(Transport.IO_URING);
        return new RingLoop(new MultiThreadIoEventLoopGroup(1, new RingTransport().ioHandlerFactory()));
    }

    /** Ends the loop, in the middle of whatever is under way on it. */
    @Override
    public void close() {
        // Netty may end the loop without closing what is registered on it, after a period in which nothing was done. On
        // a
        // machine that is busy a short one passes before the loop's thread gets a processor again.
        group.shutdownGracefully(250, 30_000, TimeUnit.MILLISECONDS).awaitUninterruptibly();
        assertThat(group.isTerminated()).isTrue();
    }

    /** What was accepted. */
    Queue<Channel> accepted() {
        return accepted;
    }

    /** Listens, and has each connection handled by one of these. */
    int listen(Supplier<ChannelInboundHandlerAdapter> handlers) {
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channelFactory(() -> new RingServerChannel(io.netty.channel.unix.Socket.newSocketStream()))
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accepted.add(channel);
                        channel.pipeline().addLast(handlers.get());
                    }
                })
                .bind(LOOPBACK, 0)
                .awaitUninterruptibly();
        assertThat(bound.cause()).isNull();
        return ((InetSocketAddress) bound.channel().localAddress()).getPort();
    }

    /** The first connection. */
    Channel firstAccepted() {
        Await.until("a connection", () -> !accepted.isEmpty());
        return Objects.requireNonNull(accepted.peek());
    }

    /** Connects to {@code to}. */
    ChannelFuture connect(InetSocketAddress to, int timeoutMillis, ChannelInboundHandlerAdapter handler) {
        return new Bootstrap()
                .group(group)
                .channelFactory(RingSocketChannel::new)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
                .handler(handler)
                .connect(to);
    }

    /** Sends all of it. */
    static void send(Socket socket, byte[] bytes) {
        try {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends back what comes. */
    static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.write(message, ctx.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            ctx.channel().config().setAutoRead(ctx.channel().isWritable());
        }
    }

    /** Counts what it is given, and keeps nothing. */
    static class Counting extends ChannelInboundHandlerAdapter {
        final AtomicLong bytes = new AtomicLong();
        final AtomicLong reads = new AtomicLong();
        final Queue<Object> events = new ConcurrentLinkedQueue<>();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf in = (ByteBuf) message;
            bytes.addAndGet(in.readableBytes());
            reads.incrementAndGet();
            in.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            events.add(event);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            events.add(cause);
        }
    }
}
