package net.oooops.sigma.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.ring.RingLoop.Counting;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connecting on an io_uring, to plain sockets of the JDK. */
class RingConnectTest {
    private final RingLoop loop = RingLoop.start();

    @AfterEach
    void stop() {
        loop.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void connects(String address) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName(address))) {
            Counting counting = new Counting();
            ChannelFuture connected =
                    loop.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), 5000, counting);
            try (Socket peer = server.accept()) {
                assertThat(connected.await(5, TimeUnit.SECONDS)).isTrue();
                assertThat(connected.cause()).isNull();
                InetSocketAddress remote =
                        (InetSocketAddress) connected.channel().remoteAddress();
                assertThat(remote.getPort()).isEqualTo(server.getLocalPort());
                assertThat(remote.getAddress()).isEqualTo(server.getInetAddress());
                assertThat(((InetSocketAddress) connected.channel().localAddress()).getPort())
                        .isEqualTo(peer.getPort());
                RingLoop.send(peer, new byte[5]);
                Await.until("five bytes", () -> counting.bytes.get() == 5);
            }
        }
    }

    @Test
    void aRefusedConnectNamesTheAddress() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, RingLoop.LOOPBACK)) {
            port = closed.getLocalPort();
        }
        ChannelFuture refused = loop.connect(new InetSocketAddress(RingLoop.LOOPBACK, port), 5000, new Counting());

        assertThat(refused.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(refused.cause()).isInstanceOf(ConnectException.class).hasMessageContaining(":" + port);
        assertThat(refused.channel().closeFuture().await(5, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aConnectThatIsNotAnsweredTimesOut() throws Exception {
        try (PortHold hold = ScriptedUpstream.fullBacklogPort()) {
            ChannelFuture late =
                    loop.connect(new InetSocketAddress(RingLoop.LOOPBACK, hold.port()), 200, new Counting());

            assertThat(late.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(late.cause()).isInstanceOf(ConnectTimeoutException.class).hasMessageContaining("200 ms");
            assertThat(late.channel().closeFuture().await(5, TimeUnit.SECONDS)).isTrue();

            ChannelFuture given =
                    loop.connect(new InetSocketAddress(RingLoop.LOOPBACK, hold.port()), 60_000, new Counting());
            given.channel().close().sync();
            assertThat(given.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(given.isSuccess()).isFalse();
        }
    }

    @Test
    void anAddressThatTheSocketCannotHaveIsNotCutToFit() {
        assertThatThrownBy(() -> new SocketAddressMemory(new InetSocketAddress("2001:db8::1", 80), false))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> new SocketAddressMemory(InetSocketAddress.createUnresolved("node.test", 80), true))
                .isInstanceOf(UnresolvedAddressException.class);
    }

    @Test
    void aCloseThatIsCancelledDoesNotKeepALaterOneFromClosing() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, RingLoop.LOOPBACK)) {
            ChannelFuture connected =
                    loop.connect(new InetSocketAddress(RingLoop.LOOPBACK, server.getLocalPort()), 5000, new Counting());
            assertThat(connected.await(5, TimeUnit.SECONDS)).isTrue();
            ChannelPromise cancelled = connected.channel().newPromise();
            cancelled.cancel(false);
            connected.channel().close(cancelled);

            assertThat(connected.channel().close().await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(connected.channel().isOpen()).isFalse();
        }
    }
}
