package net.oooops.sigma.epoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections on epoll and the sockets that they come by, with plain sockets of the JDK at their other end. */
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class LeanSocketChannelTest {
    private static final int MANY = 300;
    private static final int LARGE = 5_000_000;

    // Of Linux.
    private static final RawUnixChannelOption STATE_OF_TCP = new RawUnixChannelOption("TCP_INFO", 6, 11, 148);
    private static final int CLOSE_WAIT = 8;
    private static final int AT_SEGMENTS_IN = 140;

    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final Queue<Object> events = new ConcurrentLinkedQueue<>();
    private EventLoopGroup group;
    /** Whether what comes is read from the first. */
    private boolean autoRead = true;

    @BeforeEach
    void start() {
        Needed.transport(Transport.EPOLL);
        group = new MultiThreadIoEventLoopGroup(1, new SteadyEpoll().ioHandlerFactory());
    }

    @AfterEach
    void stop() {
        if (group != null) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** Sends back what comes, and closes behind it where {@code last} comes. */
    private final class Echo extends ChannelInboundHandlerAdapter {
        private final byte last;

        Echo(int last) {
            this.last = (byte) last;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            boolean ends = bytes.getByte(bytes.writerIndex() - 1) == last;
            ctx.writeAndFlush(bytes).addListener(done -> {
                if (ends) {
                    ctx.close();
                }
            });
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            events.add(event);
            if (event instanceof ChannelInputShutdownReadComplete) {
                ctx.writeAndFlush(ctx.alloc().directBuffer().writeByte('!')).addListener(ChannelFutureListener.CLOSE);
            }
        }
    }

    private ServerBootstrap server(int last) {
        return new ServerBootstrap()
                .group(group)
                .channelFactory(() -> new LeanServerChannel(null))
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.config().setAutoRead(autoRead);
                        channel.pipeline().addLast(new Echo(last));
                        accepted.add(channel);
                    }
                });
    }

    private static Channel listening(ServerBootstrap server) {
        return server.bind(0).syncUninterruptibly().channel();
    }

    private static Socket connect(Channel listening) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port(listening));
    }

    private static int port(Channel listening) {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    private Channel nextAccepted() throws InterruptedException {
        return Objects.requireNonNull(accepted.poll(20, TimeUnit.SECONDS), "accepted");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsAcceptedHasNoDelayAsWhatListens(boolean noDelay) throws Exception {
        Channel listening = listening(server(0).option(ChannelOption.TCP_NODELAY, noDelay));
        try (Socket _ = connect(listening)) {
            assertThat(nextAccepted().config().getOption(ChannelOption.TCP_NODELAY))
                    .isEqualTo(noDelay);
        }
    }

    @Test
    void bothItsAddressesAreTold() throws Exception {
        Channel listening = listening(server(0));
        try (Socket client = connect(listening)) {
            Channel channel = nextAccepted();
            assertThat(channel.localAddress()).isEqualTo(client.getRemoteSocketAddress());
            assertThat(channel.remoteAddress()).isEqualTo(client.getLocalSocketAddress());
            assertThat(channel.parent()).isSameAs(listening);
            channel.close().syncUninterruptibly();
            assertThat(channel.localAddress()).isEqualTo(client.getRemoteSocketAddress());
        }
    }

    /** Each gets the descriptor of one before, as a rule. */
    @Test
    void oneAfterTheOtherIsReadAnsweredAndClosed() throws Exception {
        Channel listening = listening(server(1));
        for (int i = 0; i < MANY; i++) {
            try (Socket client = connect(listening)) {
                client.getOutputStream().write(new byte[] {3, 2, 1});
                assertThat(client.getInputStream().readAllBytes()).containsExactly(3, 2, 1);
            }
        }
        for (int i = 0; i < MANY; i++) {
            Channel channel = nextAccepted();
            Await.until("closed", () -> !channel.isOpen());
            assertThat(channel.isActive()).isFalse();
        }
    }

    @Test
    void whatIsLargeComesBackUnchanged() throws Exception {
        byte[] sent = GeneratedBody.of(7, LARGE).toBytes();
        Channel listening = listening(server(0));
        try (Socket client = connect(listening)) {
            CompletableFuture<Void> sending =
                    CompletableFuture.runAsync(() -> send(client, sent), Thread::startVirtualThread);
            assertThat(client.getInputStream().readNBytes(LARGE)).isEqualTo(sent);
            sending.get();
        }
    }

    private static void send(Socket client, byte[] bytes) {
        try {
            client.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatIsNotToBeReadWaits() throws Exception {
        autoRead = false;
        Channel listening = listening(server(0));
        try (Socket client = connect(listening)) {
            client.getOutputStream().write(5);
            Channel channel = nextAccepted();
            // Turns for what would have come.
            channel.eventLoop().schedule(() -> {}, 20, TimeUnit.MILLISECONDS).syncUninterruptibly();
            assertThat(client.getInputStream().available()).isZero();
            channel.config().setAutoRead(true);
            assertThat(client.getInputStream().read()).isEqualTo(5);
        }
    }

    @Test
    void aClientThatEndsItsOutputIsAnswered() throws Exception {
        Channel listening = listening(server(0).childOption(ChannelOption.ALLOW_HALF_CLOSURE, true));
        try (Socket client = connect(listening)) {
            client.getOutputStream().write(5);
            client.shutdownOutput();
            assertThat(client.getInputStream().readAllBytes()).containsExactly(5, '!');
            assertThat(events).contains(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }

    @Test
    void aClientThatEndsIsClosedWhereHalvesAreNotWanted() throws Exception {
        Channel listening = listening(server(0));
        try (Socket client = connect(listening)) {
            client.shutdownOutput();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            Channel channel = nextAccepted();
            Await.until("closed", () -> !channel.isOpen());
        }
    }

    @Test
    void itsOutputEndsByItself() throws Exception {
        Channel listening = listening(server(1));
        try (Socket client = connect(listening)) {
            DuplexChannel channel = (DuplexChannel) nextAccepted();
            channel.shutdownOutput().syncUninterruptibly();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThat(channel.isOpen()).isTrue();
            assertThat(channel.isOutputShutdown()).isTrue();
        }
    }

    @Test
    void lingeringForNoTimeResets() throws Exception {
        Channel listening = listening(server(0));
        try (Socket client = connect(listening)) {
            Channel channel = nextAccepted();
            assertThat(channel.config().setOption(ChannelOption.SO_LINGER, 0)).isTrue();
            channel.close().syncUninterruptibly();
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(IOException.class);
        }
    }

    /** Beside the one that accepts: one segment of bytes and end, or one of each. */
    @ParameterizedTest
    @CsvSource({"true, 2", "false, 3"})
    void whatIsHeldLeavesWithTheEnd(boolean held, int segments) throws Exception {
        Channel listening = listening(server(0));
        Channel client = connecting()
                .handler(new ChannelInboundHandlerAdapter())
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .connect(InetAddress.getLoopbackAddress(), port(listening))
                .syncUninterruptibly()
                .channel();
        LeanSocketChannel channel = (LeanSocketChannel) nextAccepted();
        channel.eventLoop()
                .submit(() -> {
                    if (held) {
                        channel.hold();
                    }
                    channel.writeAndFlush(Unpooled.directBuffer().writeByte(1));
                    channel.endHeld();
                    channel.close();
                })
                .syncUninterruptibly();
        Await.until("ended", () -> told(client).get(0) == CLOSE_WAIT);
        assertThat(told(client).getInt(AT_SEGMENTS_IN)).isEqualTo(segments);
        client.close().syncUninterruptibly();
    }

    private static ByteBuffer told(Channel channel) {
        return channel.config().getOption(STATE_OF_TCP).order(ByteOrder.nativeOrder());
    }

    @Test
    void whatIsHeldArrivesThoughSomethingIsUnread() throws Exception {
        autoRead = false;
        Channel listening = listening(server(0));
        try (Socket client = connect(listening)) {
            client.getOutputStream().write(new byte[MANY]);
            LeanSocketChannel channel = (LeanSocketChannel) nextAccepted();
            channel.eventLoop()
                    .submit(() -> {
                        channel.hold();
                        channel.writeAndFlush(Unpooled.directBuffer().writeByte(5));
                        channel.endHeld();
                        channel.close();
                    })
                    .syncUninterruptibly();
            assertThat(client.getInputStream().read()).isEqualTo(5);
        }
    }

    @Test
    void whatIsClosedIsNeitherHeldNorEnded() throws Exception {
        Channel listening = listening(server(0));
        try (Socket client = connect(listening)) {
            LeanSocketChannel channel = (LeanSocketChannel) nextAccepted();
            channel.close().syncUninterruptibly();
            channel.hold();
            channel.endHeld();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void itConnectsAndIsConnectedTo() throws Exception {
        try (ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Channel channel = connecting()
                    .connect(peer.getLocalSocketAddress())
                    .syncUninterruptibly()
                    .channel();
            try (Socket other = peer.accept()) {
                assertThat(channel.localAddress()).isEqualTo(other.getRemoteSocketAddress());
                assertThat(channel.remoteAddress()).isEqualTo(other.getLocalSocketAddress());
                assertThat(channel.parent()).isNull();
                other.getOutputStream().write(9);
                assertThat(other.getInputStream().read()).isEqualTo(9);
                channel.close().syncUninterruptibly();
                assertThat(other.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void whereNobodyListensItFails() throws Exception {
        ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        peer.close();
        assertThatThrownBy(
                        () -> connecting().connect(peer.getLocalSocketAddress()).syncUninterruptibly())
                .isInstanceOf(ConnectException.class);
    }

    private Bootstrap connecting() {
        return new Bootstrap()
                .group(group)
                .channelFactory(LeanSocketChannel::new)
                .handler(new Echo(0));
    }

    @Test
    void itHasTheOptionsOfASocket() {
        Channel channel = connecting().register().syncUninterruptibly().channel();
        assertHolds(channel, ChannelOption.TCP_NODELAY, true);
        assertHolds(channel, ChannelOption.SO_KEEPALIVE, true);
        assertHolds(channel, ChannelOption.SO_REUSEADDR, true);
        assertHolds(channel, ChannelOption.SO_LINGER, 0);
        assertHolds(channel, ChannelOption.IP_TOS, 16);
        assertHolds(channel, ChannelOption.ALLOW_HALF_CLOSURE, true);
        assertHolds(channel, ChannelOption.AUTO_READ, false);
        assertThat(channel.config().setOption(EpollChannelOption.TCP_QUICKACK, true))
                .isTrue();
        assertThat(channel.config().setOption(ChannelOption.SO_BACKLOG, 1)).isFalse();
        SocketChannelConfig config = (SocketChannelConfig) channel.config();
        assertThat(config.setSendBufferSize(1 << 16).getSendBufferSize()).isGreaterThanOrEqualTo(1 << 16);
        assertThat(config.setReceiveBufferSize(1 << 16).getReceiveBufferSize()).isGreaterThanOrEqualTo(1 << 16);
        assertThat(config.setTcpNoDelay(false).isTcpNoDelay()).isFalse();
        channel.close().syncUninterruptibly();
    }

    @Test
    void whatListensHasTheOptionsOfOne() {
        Channel listening = listening(server(0));
        assertHolds(listening, ChannelOption.SO_BACKLOG, 7);
        assertHolds(listening, ChannelOption.SO_REUSEADDR, true);
        assertHolds(listening, ChannelOption.TCP_NODELAY, true);
        assertHolds(listening, UnixChannelOption.SO_REUSEPORT, true);
        assertThat(listening.config().setOption(ChannelOption.SO_KEEPALIVE, true))
                .isFalse();
        assertThat(listening.config().setOption(ChannelOption.SO_RCVBUF, 1 << 16))
                .isTrue();
    }

    private static <T> void assertHolds(Channel channel, ChannelOption<T> option, T value) {
        assertThat(channel.config().setOption(option, value)).isTrue();
        @Nullable T held = channel.config().getOption(option);
        assertThat(held).as("%s", option).isEqualTo(value);
        assertThat(channel.config().getOptions()).containsKey(option);
    }
}
