package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.DnsConfig;
import net.oooops.sigma.names.LastAnswers;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameOutages;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection whose socket another event loop drives. */
class CrossedChannelTest {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final SingleThreadEventLoop owner = (SingleThreadEventLoop) group.next();
    private final SingleThreadEventLoop driver = (SingleThreadEventLoop) group.next();
    private final RawServer node = RawServer.start();
    private final NameAsker asker = new NameAsker(
            owner,
            NameResolution.Sockets.NIO,
            NameResolution.Settings.of(DnsConfig.DEFAULT, LIMIT_NANOS),
            new NameOutages(),
            new LastAnswers(Set::of));
    private final NameResolution names = new NameResolution(owner, asker);

    @AfterEach
    void stop() throws Exception {
        node.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    private Channel connected() throws Exception {
        Bootstrap bootstrap = new Bootstrap().group(driver).channel(NioSocketChannel.class);
        NodeConnector connector = new NodeConnector(
                new NodeConnector.Means(owner, bootstrap, names),
                new NodeConnector.Target("127.0.0.1", node.port(), null),
                LIMIT_NANOS);
        CompletableFuture<Channel> connected = new CompletableFuture<>();
        owner.execute(() -> connector.connect(new NodeConnector.Callback() {
            @Override
            public void onConnected(Channel channel) {
                connected.complete(channel);
            }

            @Override
            public void onConnectFailed(Fault fault, Throwable cause) {
                connected.completeExceptionally(cause);
            }
        }));
        return connected.get(10, TimeUnit.SECONDS);
    }

    /** Its place among all connections is another's then, and no sooner. */
    @Test
    void itsEndIsThatOfItsSocket() throws Exception {
        Channel channel = connected();
        Gate busy = new Gate();
        driver.execute(() -> pass(busy));
        Await.until("busy", () -> busy.waiting() == 1);
        channel.close().get(10, TimeUnit.SECONDS);
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.closeFuture().isDone()).isFalse();
        busy.release();
        channel.closeFuture().get(10, TimeUnit.SECONDS);
    }

    /** Else nothing would ever be delivered again, and its owner would wait for ever. */
    @Test
    void whatOneEventThrowsKeepsNoOtherBack() {
        List<Object> delivered = new CopyOnWriteArrayList<>();
        EmbeddedChannel socket = new EmbeddedChannel();
        socket.pipeline().addLast(new SocketEnd(socket, owner, event -> {
            delivered.add(event);
            if (event.equals("first")) {
                throw new IllegalStateException("by the test");
            }
        }));
        socket.pipeline().fireUserEventTriggered("first");
        socket.pipeline().fireUserEventTriggered("second");
        Await.until("both are delivered", () -> delivered.equals(List.of("first", "second")));
        socket.pipeline().fireUserEventTriggered("third");
        Await.until("and what comes later", () -> delivered.size() == 3);
    }

    private static void pass(Gate gate) {
        try {
            gate.pass();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
