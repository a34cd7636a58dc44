package net.oooops.sigma.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.ChangedRecord;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http1.WholeHead;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection that a node has accepted, and that can't be taken up: it costs no place for another one, and who waits is told. */
@SuppressWarnings("NullAway.Init")
class TakenUpConnectionsTest {
    private static final byte[] GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);
    private static final byte[] POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n".getBytes(US_ASCII);

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    private final Memory memory = new Memory();
    private final ServerSocket listening = listen();
    private final List<Socket> ofNode = new CopyOnWriteArrayList<>();
    /** Called on the event loop. */
    private final List<HttpExchange> asked = new ArrayList<>();

    private volatile String agreesOn = "";
    private LoneRoad lone;
    private HttpProxy proxy;
    /** One whose limits nothing can be made with that speaks to a node. */
    private HttpProxy broken;

    /** There may be none for what is sent. */
    private static final class Memory extends AbstractByteBufAllocator {
        private volatile boolean none;

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            check();
            return new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            check();
            return new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }

        private void check() {
            if (none) {
                throw new OutOfMemoryError("by the test");
            }
        }
    }

    /** The client's side of an exchange: which status it is answered with. */
    private static final class Client implements InvocationHandler {
        private volatile int status;
        /** Once. */
        private @Nullable String throwsAt;

        @Override
        public @Nullable Object invoke(Object stream, Method called, Object[] given) {
            if (called.getName().equals(throwsAt)) {
                throwsAt = null;
                throw new IllegalStateException("by the test");
            }
            if (called.getName().equals("head")) {
                status = ((HttpResponseHead) given[1]).status();
            }
            Class<?> answer = called.getReturnType();
            return answer == boolean.class ? (Object) true : answer == long.class ? (Object) 0L : null;
        }
    }

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The node takes each connection, and says nothing. */
    private void serve(boolean encrypted) {
        Background.run(() -> {
            while (true) {
                Socket accepted = listening.accept();
                ofNode.add(accepted);
                if (encrypted) {
                    Encryption.SHARED.agree(accepted, agreesOn);
                }
            }
        });
    }

    private void start(HttpVersion version) throws Exception {
        boolean encrypted = version == HttpVersion.AGREED;
        GatewayBuilder builder = GatewayFixture.toPorts(listening.getLocalPort())
                .nodeTls(encrypted ? Encryption.SHARED.ofNodes("h2", "http/1.1") : null)
                .nodeVersion(version);
        Bootstrap bootstrap =
                new Bootstrap().group(loop).channel(NioSocketChannel.class).option(ChannelOption.ALLOCATOR, memory);
        lone = new LoneRoad(loop, builder.config(), bootstrap);
        lone.start();
        HttpRoad road = lone.road();
        HttpListenerPlan listener = lone.listener();
        proxy = new HttpProxy(road, listener);
        ListenerConfig config = listener.listener();
        Limits limits = ChangedRecord.with(config.limits(), "writeBufferBytesMax", -2);
        ListenerConfig unfit = ChangedRecord.with(config, "limits", limits);
        broken = new HttpProxy(road, ChangedRecord.with(listener, "listener", unfit));
        serve(encrypted);
    }

    @AfterEach
    void stop() throws Exception {
        listening.close();
        loop.submit(() -> asked.forEach(HttpExchange::onClientGone)).sync();
        Await.until("nothing is left", () -> {
            ofNode.forEach(TakenUpConnectionsTest::close);
            return pool().open() == 0;
        });
        loop.submit(lone::end).sync();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private <T> T onLoop(Callable<T> asked) {
        return loop.submit(asked).syncUninterruptibly().getNow();
    }

    private HttpExchange ask(HttpProxy by, byte[] request, Client client) {
        ServerStream stream = (ServerStream) Proxy.newProxyInstance(
                ServerStream.class.getClassLoader(), new Class<?>[] {ServerStream.class}, client);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        HttpExchange x = by.exchanges.take(stream, new Peer(address, address, null));
        asked.add(x);
        assertThat(WholeHead.readRequest(request, x.requestHead(), Limits.DEFAULT))
                .isNull();
        x.onRequest();
        if (!x.request.head.hasBody()) {
            x.onRequestEnd();
        }
        return x;
    }

    private Client get(HttpProxy by) {
        Client client = new Client();
        onLoop(() -> ask(by, GET, client));
        return client;
    }

    private Counters counted() {
        return onLoop(lone::counted);
    }

    private Counters.Pool pool() {
        return counted().pools().getFirst();
    }

    private void assertTold(Client client) {
        Await.until("it is told", () -> client.status == Fault.INTERNAL.status());
        assertThat(onLoop(() -> lone.road().isIdle())).isTrue();
    }

    private void awaitOpen(int count) {
        Await.value("connections", this::pool, pool -> pool.open() == count && pool.waiting() == 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
    void oneThatNothingCanSpeakOverGivesItsPlaceBack(HttpVersion version) throws Exception {
        start(version);
        assertTold(get(broken));
        awaitOpen(0);
        get(proxy);
        awaitOpen(1);
        assertThat(counted().count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isEqualTo(1);
    }

    /** What is to speak over it gives it back then, as it closes. */
    @Test
    void oneThatNothingCanBeSentOnGivesItsPlaceBack() throws Exception {
        start(HttpVersion.HTTP_2);
        memory.none = true;
        assertTold(get(proxy));
        awaitOpen(0);
        memory.none = false;
        get(proxy);
        awaitOpen(1);
    }

    @Test
    void oneThatBecameOneOfHttp1GivesItsPlaceBack() throws Exception {
        agreesOn = "http/1.1";
        start(HttpVersion.AGREED);
        assertTold(get(broken));
        awaitOpen(0);
        get(proxy);
        awaitOpen(1);
    }

    @Test
    void oneThatBecameOneOfHttp2GivesItsPlaceBack() throws Exception {
        agreesOn = "http/1.1";
        start(HttpVersion.AGREED);
        get(proxy);
        Await.until("it is sent", () -> counted().count(Counter.UPSTREAM_CONNECTIONS_OPENED) == 1);
        agreesOn = "h2";
        Client late = get(broken);
        Await.until("it is told", () -> late.status == Fault.INTERNAL.status());
        awaitOpen(1);
    }

    /** As where a plugin of one of them breaks what its request leaves by. */
    @ParameterizedTest
    @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
    void whoCanNotUseItsConnectionKeepsNobodyFromTheirs(HttpVersion version) throws Exception {
        start(version);
        Client first = new Client();
        first.throwsAt = "pauseBody";
        HttpExchange second = onLoop(() -> {
            ask(proxy, POST, first);
            return ask(proxy, GET, new Client());
        });
        Await.until("one has its connection", () -> onLoop(() -> second.attempt.client() != null));
        assertThat(first.status).isEqualTo(Fault.INTERNAL.status());
        assertThat(counted().faults(Fault.INTERNAL)).isEqualTo(1);
    }
}
