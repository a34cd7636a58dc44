package net.oooops.sigma.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.uring.IoUringIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** For a client that reads nothing the kernel takes little, so that thousands of them don't have all of its memory for TCP. */
@Timeout(60)
class UnsentBytesTest {
    private static final int WRITTEN = 4 << 20;
    /** With what the client's side of the loopback holds, and what is on its way. */
    private static final int TAKEN_MAX = 1 << 20;

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"EPOLL", "IO_URING"})
    void whatAClientDoesNotReadWaitsHere(Transport transport) throws Exception {
        Needed.transport(transport);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, transport == Transport.EPOLL ? EpollIoHandler.newFactory() : IoUringIoHandler.newFactory());
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        ChannelInitializer<Channel> connections = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                accepted.complete(channel);
            }
        };
        Channel listening = new Binding(SocketTransport.choose(transport), new SocketOptions(RuntimeConfig.DEFAULT))
                .bindOwn(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        group.next(),
                        connections,
                        cause -> {})
                .syncUninterruptibly()
                .channel();
        Binding.accept(listening, true).syncUninterruptibly();
        int port = ((InetSocketAddress) listening.localAddress()).getPort();
        try (Socket client = new Socket()) {
            client.setReceiveBufferSize(64 << 10);
            client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            Channel channel = accepted.get(10, TimeUnit.SECONDS);
            channel.writeAndFlush(channel.alloc().directBuffer(WRITTEN).writerIndex(WRITTEN), channel.voidPromise());
            Standing standing = new Standing();
            Await.until("the kernel takes no more", () -> standing.isSeen(waiting(channel)));
            assertThat(waiting(channel)).isGreaterThan(WRITTEN - TAKEN_MAX).isLessThan(WRITTEN);
            channel.close().syncUninterruptibly();
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private static long waiting(Channel channel) {
        return channel.eventLoop()
                .submit(() -> {
                    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
                    return unsent == null ? 0 : unsent.totalPendingWriteBytes() - unsent.currentProgress();
                })
                .syncUninterruptibly()
                .getNow();
    }

    /** A figure that no longer moves. */
    private static final class Standing {
        private long figure = -1;
        private long sinceNanos;

        private boolean isSeen(long now) {
            if (now != figure) {
                figure = now;
                sinceNanos = System.nanoTime();
            }
            return System.nanoTime() - sinceNanos > 300_000_000;
        }
    }
}
