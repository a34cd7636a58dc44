package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.names.HostAddresses;
import net.oooops.sigma.names.LastAnswers;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameOutages;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.names.NameServer;
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
    private final NameServer server = NameServer.start();
    private final OneThread thread = new OneThread();
    private final EventLoopGroup asking = new MultiThreadIoEventLoopGroup(1, thread, NioIoHandler.newFactory());
    private volatile boolean forgets;
    private final LastAnswers last = new LastAnswers(this::names);
    private final NameAsker asker = asker();
    private final NameResolution names = new NameResolution(owner, asker);

    @AfterEach
    void stop() throws Exception {
        thread.none = false;
        asker.close();
        node.close();
        server.close();
        asking.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    /** The thread of an event loop: the system may have none for it. */
    private static final class OneThread implements Executor {
        private volatile boolean none;

        @Override
        public void execute(Runnable work) {
            if (none) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            Thread.ofVirtual().start(work);
        }
    }

    private NameAsker asker() {
        return new NameAsker(
                asking.next(),
                NameResolution.Sockets.NIO,
                new NameResolution.Settings(
                        LIMIT_NANOS,
                        1,
                        300,
                        LIMIT_NANOS,
                        new SingletonDnsServerAddressStreamProvider(server.address())),
                new NameOutages(),
                last);
    }

    /** Those in use, as it asks where it has to forget some. */
    private Set<String> names() {
        if (forgets) {
            throw new IllegalStateException("by the test");
        }
        return Set.of();
    }

    private NodeConnector connector(SingleThreadEventLoop driver, String host, @Nullable NodeTls tls) {
        return connector(new Bootstrap().group(driver).channel(NioSocketChannel.class), host, tls);
    }

    private NodeConnector connector(Bootstrap bootstrap, String host, @Nullable NodeTls tls) {
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
    void whereTheNameCanNotEvenBeAskedForItFailsAndTheNextOneAsks() throws Exception {
        server.answer("node.sigma.test", 60, "127.0.0.1");
        NodeConnector connector = connector(owner, "node.sigma.test", null);
        thread.none = true;
        Wanting wanting = new Wanting();
        connect(connector, wanting);
        assertThat(wanting.fault()).isEqualTo(Fault.INTERNAL);
        thread.none = false;
        Wanting next = new Wanting();
        connect(connector, next);
        next.connected.get(10, TimeUnit.SECONDS).close();
        assertThat(wanting.connected).isNotDone();
    }

    @Test
    void whereItsEventLoopCanNotBeginItFails() throws Exception {
        thread.none = true;
        Wanting wanting = new Wanting();
        connect(connector((SingleThreadEventLoop) asking.next(), "127.0.0.1", null), wanting);
        assertThat(wanting.fault()).isEqualTo(Fault.INTERNAL);
    }

    /** One whose settings can't be asked for once it is open. */
    private static final class Broken extends NioSocketChannel {
        private static final CompletableFuture<Channel> OPEN = new CompletableFuture<>();

        @Override
        public ByteBufAllocator alloc() {
            OPEN.complete(this);
            throw new OutOfMemoryError("none left for what stands before it");
        }
    }

    @Test
    void whereItsOwnerCanNotHaveASocketOfAnotherEventLoopItFails() throws Exception {
        Bootstrap bootstrap = new Bootstrap().group(other).channelFactory(Broken::new);
        Wanting wanting = new Wanting();
        connect(connector(bootstrap, "127.0.0.1", null), wanting);
        assertThat(wanting.fault()).isEqualTo(Fault.INTERNAL);
        Broken.OPEN.join().closeFuture().get(10, TimeUnit.SECONDS);
    }

    /** Such as where it is to be kept for later. */
    @Test
    void whatIsThrownBeforeAnAnswerIsToldKeepsItFromNobody() throws Exception {
        server.answer("node.sigma.test", 60, "127.0.0.1");
        Map<String, List<InetAddress>> many = new HashMap<>();
        for (int i = 0; i < LastAnswers.KEPT_MIN; i++) {
            many.put("host" + i + ".sigma.test", List.of(InetAddress.getLoopbackAddress()));
        }
        last.hear(new LastAnswers.All(many, Map.of()));
        forgets = true;
        Wanting wanting = new Wanting();
        connect(connector(owner, "node.sigma.test", null), wanting);
        wanting.connected.get(10, TimeUnit.SECONDS).close();
    }

    /** Who waits for the addresses of a name, and throws when there is an answer. */
    private static final class Thrower implements HostAddresses.Asker {
        @Override
        public void onAddresses(List<InetAddress> addresses) {
            throw new IllegalStateException("by the test");
        }

        @Override
        public void onUnresolved(Throwable cause) {
            throw new IllegalStateException("by the test");
        }
    }

    @Test
    void whoThrowsWhenThereIsAnAnswerKeepsNobodyFromIt() throws Exception {
        server.answer("node.sigma.test", 60, "127.0.0.1");
        CompletableFuture<List<InetAddress>> answer = new CompletableFuture<>();
        owner.execute(() -> {
            HostAddresses addresses = new HostAddresses(names, "node.sigma.test");
            addresses.ask(new Thrower());
            addresses.ask(new HostAddresses.Asker() {
                @Override
                public void onAddresses(List<InetAddress> all) {
                    answer.complete(all);
                }

                @Override
                public void onUnresolved(Throwable cause) {
                    answer.completeExceptionally(cause);
                }
            });
        });
        assertThat(answer.get(10, TimeUnit.SECONDS)).isNotEmpty();
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
