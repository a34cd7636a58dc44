package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.tls.NodeTls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever wants a connection to a node is told what became of it, whatever is thrown. */
class OpenedConnectionsTest {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final SingleThreadEventLoop owner = (SingleThreadEventLoop) group.next();
    private final SingleThreadEventLoop other = (SingleThreadEventLoop) group.next();
    private final RawServer node = RawServer.start();
    private final NameAsker asker = asker();
    private final NameResolution names = new NameResolution(owner, asker);

    @AfterEach
    void stop() throws Exception {
        asker.close();
        node.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    /** That throws where it is asked: no time lies between those. */
    private NameAsker asker() {
        return new NameAsker(
                owner,
                NameResolution.Sockets.NIO,
                new NameResolution.Settings(LIMIT_NANOS, 2, 1, LIMIT_NANOS, null),
                new NameOutages(),
                new LastAnswers(Set::of));
    }

    private NodeConnector connector(SingleThreadEventLoop driver, String host, @Nullable NodeTls tls) {
        Bootstrap bootstrap = new Bootstrap().group(driver).channel(NioSocketChannel.class);
        return new NodeConnector(
                new NodeConnector.Means(owner, bootstrap, names),
                new NodeConnector.Target(host, node.port(), tls),
                LIMIT_NANOS);
    }

    /** Remembers what it is told; throws where it is to. */
    private static final class Wanting implements NodeConnector.Callback {
        private final CompletableFuture<Channel> open = new CompletableFuture<>();
        private final CompletableFuture<Channel> connected = new CompletableFuture<>();
        private final CompletableFuture<Fault> failed = new CompletableFuture<>();
        private boolean throwsOnOpen;
        private boolean throwsOnConnected;

        @Override
        public void onOpen(Channel channel) {
            open.complete(channel);
            fail(throwsOnOpen);
        }

        @Override
        public void onConnected(Channel channel) {
            connected.complete(channel);
            fail(throwsOnConnected);
        }

        private static void fail(boolean whether) {
            if (whether) {
                throw new OutOfMemoryError("none left for what is sent first");
            }
        }

        @Override
        public void onConnectFailed(Fault fault, Throwable cause) {
            if (!failed.complete(fault)) {
                throw new AssertionError("told twice", cause);
            }
        }

        private Fault fault() throws Exception {
            return failed.get(10, TimeUnit.SECONDS);
        }
    }

    private void connect(NodeConnector connector, Wanting wanting) {
        owner.execute(() -> connector.connect(wanting));
    }

    @Test
    void whoThrowsAsItIsOpenIsToldThatItFailed() throws Exception {
        for (SingleThreadEventLoop driver : new SingleThreadEventLoop[] {owner, other}) {
            Wanting wanting = new Wanting();
            wanting.throwsOnOpen = true;
            connect(connector(driver, "127.0.0.1", null), wanting);
            assertThat(wanting.fault()).isEqualTo(Fault.INTERNAL);
            wanting.open.join().closeFuture().get(10, TimeUnit.SECONDS);
            assertThat(wanting.connected).isNotDone();
        }
    }

    /** Else nobody knew of it. */
    @Test
    void whereItsOwnerThrowsItIsClosed() throws Exception {
        for (SingleThreadEventLoop driver : new SingleThreadEventLoop[] {owner, other}) {
            Wanting wanting = new Wanting();
            wanting.throwsOnConnected = true;
            connect(connector(driver, "127.0.0.1", null), wanting);
            wanting.connected.get(10, TimeUnit.SECONDS).closeFuture().get(10, TimeUnit.SECONDS);
            assertThat(wanting.failed).isNotDone();
        }
    }

    @Test
    void whereTheNameCanNotEvenBeAskedForItFails() throws Exception {
        Wanting wanting = new Wanting();
        connect(connector(owner, "node.sigma.test", null), wanting);
        assertThat(wanting.fault()).isEqualTo(Fault.DNS_FAILED);
    }

    /** As where its Upstream was retired while it was being opened. */
    @Test
    void whereNoHandshakeCanBeginItFails() throws Exception {
        NodeTls tls = new NodeTls(Encryption.SHARED.ofNodes("http/1.1"));
        tls.close();
        Wanting wanting = new Wanting();
        connect(connector(owner, "127.0.0.1", tls), wanting);
        assertThat(wanting.fault()).isEqualTo(Fault.INTERNAL);
        wanting.open.join().closeFuture().get(10, TimeUnit.SECONDS);
    }
}
