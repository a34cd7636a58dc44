package net.oooops.sigma.epoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@SuppressWarnings("NullAway.Init")
class SteadyEpollTest {
    private static final int BACKLOG = 16;
    /** Another thread may have taken the descriptor. */
    private static final int ROUNDS_MAX = 500;

    private EventLoopGroup group;

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

    private ChannelFuture connect(ServerSocket peer, ChannelHandler handler) {
        return new Bootstrap()
                .group(group)
                .channel(EpollSocketChannel.class)
                .handler(handler)
                .connect(peer.getLocalSocketAddress());
    }

    /** A connection that is closed before its own event is told, and one that is opened then. */
    private final class Swapping extends ChannelInboundHandlerAdapter {
        private final ServerSocket peer;
        private final Channel closed;
        private final CompletableFuture<ChannelFuture> opened = new CompletableFuture<>();
        private boolean sameDescriptor;

        Swapping(ServerSocket peer, Channel closed) {
            this.peer = peer;
            this.closed = closed;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            boolean open = closed.isOpen();
            int descriptor = descriptor(closed);
            closed.close();
            ChannelFuture connecting = connect(peer, new ChannelInboundHandlerAdapter());
            sameDescriptor = open && descriptor(connecting.channel()) == descriptor;
            opened.complete(connecting);
        }
    }

    private static int descriptor(Channel channel) {
        return ((UnixChannel) channel).fd().intValue();
    }

    @Test
    void whatIsOpenedIsNotToldOfWhatHadItsDescriptor() throws Exception {
        try (ServerSocket peer = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())) {
            boolean sameDescriptor = false;
            for (int i = 0; i < ROUNDS_MAX && !sameDescriptor; i++) {
                sameDescriptor = isOpenedWithTheSame(peer);
            }
            assertThat(sameDescriptor).isTrue();
        }
    }

    private boolean isOpenedWithTheSame(ServerSocket peer) throws Exception {
        Channel closed = connect(peer, new ChannelInboundHandlerAdapter())
                .syncUninterruptibly()
                .channel();
        Swapping swapping = new Swapping(peer, closed);
        try (Socket ends = peer.accept()) {
            Channel told = connect(peer, swapping).syncUninterruptibly().channel();
            try (Socket sends = peer.accept()) {
                tellTogether(sends, ends);
                ChannelFuture connecting =
                        swapping.opened.get(20, TimeUnit.SECONDS).awaitUninterruptibly();
                assertThat(connecting.cause()).isNull();
                try (Socket last = peer.accept()) {
                    assertThat(last.isConnected()).isTrue();
                    assertThat(connecting.channel().isActive()).isTrue();
                }
                connecting.channel().close().syncUninterruptibly();
            }
            told.close().syncUninterruptibly();
        }
        return swapping.sameDescriptor;
    }

    /** The event loop hears of both at once. */
    private void tellTogether(Socket sends, Socket ends) throws IOException {
        Gate busy = new Gate();
        group.next().execute(() -> pass(busy));
        Await.until("busy", () -> busy.waiting() == 1);
        sends.getOutputStream().write(1);
        ends.shutdownOutput();
        busy.release();
    }

    private static void pass(Gate gate) {
        try {
            gate.pass();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
