package net.oooops.sigma.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.DefaultEventLoop;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.LoopParts;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What exchanges have of others is given back, whatever becomes of their streams. */
@SuppressWarnings("NullAway.Init")
class ExchangesTest {
    private static final String SIGMA = """
        {
          "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
          "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
          "proxy-pass": [{"id": "p", "upstream-id": "u"}],
          "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1"]}]
        }
        """;

    private final DefaultEventLoop eventLoop = new DefaultEventLoop();
    private final AtomicInteger generationsLeft = new AtomicInteger();
    private Snapshot snapshot;
    private HttpRoad road;
    private Worker worker;
    private HttpProxy proxy;
    private HttpPlan plan;

    @BeforeEach
    void start() throws IOException {
        PluginCatalog plugins = new PluginCatalog(ExchangesTest.class.getClassLoader());
        ConfigResult read = new ConfigReader(plugins.schemas(), plugins::tryOut)
                .read(SIGMA.getBytes(StandardCharsets.US_ASCII), Path.of("").toAbsolutePath());
        snapshot = SnapshotCompiler.compile(((ConfigResult.Valid) read).config(), plugins);
        plan = snapshot.plan().http();
        LoopContext.Parts parts = LoopParts.of(
                eventLoop,
                snapshot.nodes(),
                new WorkerCounters(RefusalNames.NONE),
                new Generation(1, 1, generationsLeft::incrementAndGet));
        worker = new Worker(parts, loop -> roads(loop, plan));
        proxy = new HttpProxy(road, plan.listeners().getFirst());
    }

    private List<Road> roads(LoopContext loop, HttpPlan plan) {
        road = new HttpRoad(loop, plan, Identity.random(), new HeldMemory.Total(1, 1 << 20), 1 << 20);
        return List.of(road);
    }

    @AfterEach
    void stop() {
        snapshot.held().end();
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private HttpExchange throwing(String method) {
        ServerStream stream = (ServerStream) Proxy.newProxyInstance(
                ServerStream.class.getClassLoader(), new Class<?>[] {ServerStream.class}, (_, called, _) -> {
                    if (called.getName().equals(method)) {
                        throw new IllegalStateException(method);
                    }
                    return 0L;
                });
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        HttpExchange x = proxy.exchanges.take(stream, new Peer(address, address, null));
        proxy.exchanges.began(x);
        assertThat(road.isIdle()).isFalse();
        return x;
    }

    private void throwing(String method, Consumer<HttpExchange> end) {
        HttpExchange x = throwing(method);

        assertThatThrownBy(() -> end.accept(x)).hasMessage(method);

        assertThat(road.isIdle()).isTrue();
        worker.follow(new Generation(2, 1, () -> {}), ClientConfig.DEFAULT, () -> road.follow(plan));
        assertThat(generationsLeft).as("what it followed has ended").hasValue(1);
        assertThat(proxy.exchanges.take(x.stream, x.peer))
                .as("its stream may speak of it")
                .isNotSameAs(x);
    }

    @Test
    void oneWhoseStreamCantBeCutIsOver() {
        throwing("cutShort", x -> proxy.exchanges.cut(x, false));
    }

    @Test
    void oneWhoseStreamCantBeResetIsOver() {
        throwing("abort", x -> proxy.exchanges.cut(x, true));
    }

    @Test
    void oneWhoseStreamCantBeFinishedIsOver() {
        throwing("finish", x -> proxy.exchanges.end(x));
    }

    @Test
    void theHeadOfOneThatCantBeToldOfIsGivenBack() {
        HttpExchange x = throwing("takeWrittenBytes");
        x.request.head.append(new byte[2000], 0, 2000);
        assertThat(proxy.exchanges.holdsHead(x)).isTrue();
        assertThat(road.heads().bytes()).isEqualTo(2000 + 48);

        assertThatThrownBy(() -> proxy.exchanges.cut(x, false)).hasMessage("takeWrittenBytes");

        assertThat(road.heads().bytes()).isZero();
    }

    /** Its connection has others to tell, and its own end. */
    @Test
    void whoTellsThatAClientIsGoneHearsNothingOfWhatIsThrown() {
        HttpExchange x = throwing("abort");
        x.onClientGone();
        assertThat(road.isIdle()).isTrue();
        assertThat(x.stage).isEqualTo(Stage.ENDED);
    }
}
