package net.oooops.sigma.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A socket that listens, on a ring. */
@Timeout(60)
class RingServerChannelTest {
    private static final int MANY = 40;

    private final Queue<SocketAddress> accepted = new ConcurrentLinkedQueue<>();
    private final List<Socket> clients = new ArrayList<>();
    private EventLoopGroup group;
    private Channel listening;

    @BeforeEach
    void listen() {
        Needed.transport(Transport.IO_URING);
        group = new MultiThreadIoEventLoopGroup(1, new RingTransport().ioHandlerFactory());
        ChannelHandler noting = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                accepted.add(channel.remoteAddress());
            }
        };
        listening = new ServerBootstrap()
                .group(group)
                .channelFactory(() -> new RingServerChannel(io.netty.channel.unix.Socket.newSocketStream()))
                .option(ChannelOption.AUTO_READ, false)
                .childHandler(noting)
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    @AfterEach
    void close() throws IOException {
        for (Socket each : clients) {
            each.close();
        }
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    private void connect() throws IOException {
        clients.add(new Socket(InetAddress.getLoopbackAddress(), port()));
    }

    private void onLoop(Runnable task) {
        listening.eventLoop().submit(task).syncUninterruptibly();
    }

    @Test
    void whatComesWhileNothingIsAcceptedWaits() throws Exception {
        connect();
        listening.config().setAutoRead(true);
        Await.until("accepted", () -> accepted.size() == 1);

        onLoop(() -> listening.config().setAutoRead(false));
        for (int i = 0; i < MANY; i++) {
            connect();
        }
        // A turn for what was under way.
        listening.eventLoop().schedule(() -> {}, 20, TimeUnit.MILLISECONDS).syncUninterruptibly();
        assertThat(accepted).hasSize(1);

        listening.config().setAutoRead(true);
        Await.until("accepted", () -> accepted.size() == 1 + MANY);
        assertThat(accepted)
                .containsExactlyInAnyOrderElementsOf(
                        clients.stream().map(Socket::getLocalSocketAddress).toList());
    }

    @Test
    void whatIsSwitchedOffAndOnInOneTurnAccepts() throws Exception {
        listening.config().setAutoRead(true);
        for (int i = 1; i <= MANY; i++) {
            onLoop(() -> {
                listening.config().setAutoRead(false);
                listening.config().setAutoRead(true);
            });
            connect();
            int all = i;
            Await.until("accepted", () -> accepted.size() == all);
        }
    }

    @Test
    void aClosedOneRefusesAtOnce() throws Exception {
        listening.config().setAutoRead(true);
        connect();
        Await.until("accepted", () -> accepted.size() == 1);
        int port = port();
        listening.close().syncUninterruptibly();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port))
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void oneThatNothingIsAcceptedByIsClosed() {
        assertThat(listening.close().awaitUninterruptibly(10_000)).isTrue();
        assertThat(listening.isOpen()).isFalse();
    }
}
