package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.AdminConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.plugin.PluginMeters;
import net.oooops.sigma.redis.RedisClients;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.upstream.NodeRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The admin server listens where the configuration that holds says, and whoever asked the one before is answered. */
@Isolated("threads and descriptors of the process")
class AdminPlaceTest {
    private static final int TIMES = 1000;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final AdminPlace place = new AdminPlace(address -> vertx);

    @AfterEach
    void stop() {
        Future.join(List.of(place.close()))
                .eventually(vertx::close)
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    private static Sources sources(NodeRegistry nodes) {
        return new Sources(
                () -> new Counters(Map.of(), Map.of(), Map.of(), List.of(), List.of()),
                new PluginMeters(),
                new RedisClients(),
                nodes,
                List::of,
                List::of,
                List.of(),
                () -> false);
    }

    private static AdminConfig at(int port, String... ready) {
        return new AdminConfig("127.0.0.1", port, List.of(ready));
    }

    private void open(@Nullable AdminConfig config) throws StartException {
        place.open(config, sources(new NodeRegistry()));
    }

    private void prepare(@Nullable AdminConfig config) throws StartException {
        place.prepare(config, address -> false);
    }

    private void follow(@Nullable AdminConfig config) throws StartException {
        prepare(config);
        place.follow(config);
    }

    private int port() {
        return Objects.requireNonNull(place.address()).getPort();
    }

    private static RawResponse get(int port, String path) {
        try (RawClient client = RawClient.connect(port)) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .readResponse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isClosed(int port) {
        try (RawClient _ = RawClient.connect(port)) {
            return false;
        } catch (SocketException e) {
            // Refused, or reset as it was closed just then.
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void itBeginsMovesAndEnds() throws Exception {
        int[] ports = FreePorts.several(2);
        open(null);
        assertThat(place.address()).isNull();
        follow(at(ports[0]));
        assertThat(port()).isEqualTo(ports[0]);
        assertThat(get(ports[0], "/health/live").status()).isEqualTo(200);
        prepare(at(ports[1]));
        assertThat(get(ports[0], "/health/live").status()).isEqualTo(200);
        place.follow(at(ports[1]));
        assertThat(get(ports[1], "/health/live").status()).isEqualTo(200);
        Await.until("closed", () -> isClosed(ports[0]));
        follow(null);
        assertThat(place.address()).isNull();
        Await.until("closed", () -> isClosed(ports[1]));
    }

    @Test
    void whatItIsReadyByMayChangeWhereItIs() throws Exception {
        open(at(0));
        int port = port();
        try (RawClient asking = RawClient.connect(port)) {
            asking.send("GET /health/rea");
            assertThat(get(port, "/health/ready").status()).isEqualTo(200);
            follow(at(0, "orders"));
            assertThat(port()).isEqualTo(port);
            assertThat(get(port, "/health/ready").bodyText()).isEqualTo("upstream orders: no healthy node\n");
            assertThat(asking.send("dy HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .readResponse()
                            .status())
                    .as("the same server, untouched")
                    .isEqualTo(503);
        }
    }

    /** Another process was to take its place, and a reload has begun meanwhile: neither comes to anything. */
    @Test
    void whatWasMadeReadyMeanwhileIsNotInItsWay() throws Exception {
        int port = FreePorts.one();
        open(at(port));
        place.end();
        Await.until("closed", () -> isClosed(port));
        prepare(new AdminConfig("0.0.0.0", port, List.of()));

        place.again(at(port));
        place.abandon();

        assertThat(port()).isEqualTo(port);
        assertThat(get(port, "/health/live").status()).isEqualTo(200);
    }

    @Test
    void whereItHasMadeWayInVainItIsBack() throws Exception {
        open(at(0));
        int port = port();
        place.makeWay();
        assertThat(place.address()).isNull();
        assertThat(isClosed(port)).isTrue();

        prepare(at(FreePorts.several(1)[0]));
        place.abandon();

        assertThat(port()).isEqualTo(port);
        assertThat(get(port, "/health/live").status()).isEqualTo(200);
    }

    /** Its place is another process's then. */
    @Test
    void whereItHasMadeWayAndIsEndedItIsNotBack() throws Exception {
        AdminConfig config = at(FreePorts.several(1)[0]);
        open(config);
        place.makeWay();
        place.end();

        place.abandon();

        assertThat(place.address()).isNull();
        assertThat(isClosed(config.port())).isTrue();
        place.again(config);
        assertThat(get(config.port(), "/health/live").status()).isEqualTo(200);
    }

    @Test
    void anAddressThatIsTakenLeavesAllAsItWas() throws Exception {
        open(at(0));
        int port = port();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> prepare(at(taken.getLocalPort(), "orders")))
                    .isInstanceOf(StartException.class)
                    .hasMessageStartingWith(
                            "proxy-server.admin: can't listen on 127.0.0.1:" + taken.getLocalPort() + " (")
                    .hasMessageContaining("in use");
            place.abandon();
            assertThat(port()).isEqualTo(port);
            assertThat(get(port, "/health/ready").status()).isEqualTo(200);
            assertThatThrownBy(() -> prepare(new AdminConfig("no-such-host.invalid", 1, List.of())))
                    .hasMessage("proxy-server.admin: can't listen on no-such-host.invalid:1 (no such host)");
        }
    }

    @Test
    void whatWasMadeReadyAndIsntNeededIsClosed() throws Exception {
        int ready = FreePorts.one();
        open(at(0));
        int port = port();
        prepare(at(ready));
        assertThat(isClosed(ready)).isFalse();
        place.abandon();
        Await.until("closed", () -> isClosed(ready));
        assertThat(port()).isEqualTo(port);
        assertThat(get(port, "/health/live").status()).isEqualTo(200);
    }

    /** An upgrade lets go of it, and comes to nothing, while a reload is about to move it. */
    @Test
    void whatIsMadeReadyIsNeitherTakenNorClosedByAnUpgrade() throws Exception {
        int[] ports = FreePorts.several(2);
        open(at(ports[0]));
        prepare(at(ports[1]));

        place.end();
        assertThat(place.address()).isNull();
        Await.until("closed", () -> isClosed(ports[0]));
        assertThat(isClosed(ports[1])).isFalse();

        place.again(at(ports[0]));
        assertThat(port()).isEqualTo(ports[0]);
        assertThat(isClosed(ports[1])).isFalse();

        place.abandon();
        Await.until("closed", () -> isClosed(ports[1]));
        assertThat(get(ports[0], "/health/live").status()).isEqualTo(200);
    }

    /** And it may come back to where it was while somebody is still answered there. */
    @Test
    void whoHasAskedIsAnsweredWhole() throws Exception {
        int[] nodes = IntStream.range(10_000, 14_000).toArray();
        int[] ports = FreePorts.several(2);
        place.open(
                at(ports[0]),
                sources(Beside.registry(Beside.config(Beside.upstream("u", Discovery.STATIC_CONFIG, nodes)))));
        try (RawClient slow =
                        RawClient.connect(ports[0], ClientOptions.defaults().withReceiveBufferBytes(4096));
                RawClient idle = RawClient.connect(ports[0])) {
            slow.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(slow.readHead().status()).isEqualTo(200);
            follow(at(ports[1]));
            Await.until("no longer listens", () -> isClosed(ports[0]));
            idle.expectClosed();
            assertThat(get(ports[1], "/health/live").status()).isEqualTo(200);
            follow(at(ports[0]));
            assertThat(get(ports[0], "/health/live").status()).isEqualTo(200);
            slow.deadline(Duration.ofSeconds(30));
            assertThat(slow.readRest().bodyText()).contains("127.0.0.1:10000").endsWith("\n");
        }
        assertThat(get(ports[0], "/health/live").status()).isEqualTo(200);
    }

    @Test
    void nothingIsLeftOfServersThatHaveEnded() throws Exception {
        open(null);
        follow(at(0));
        int first = port();
        follow(null);
        Await.until("closed", () -> isClosed(first));
        Beside.Use before = Beside.Use.now();
        for (int i = 0; i < TIMES; i++) {
            follow(i % 2 == 0 ? at(0) : null);
            if (i % 10 == 0) {
                prepare(new AdminConfig("127.0.0.2", 0, List.of()));
                place.abandon();
            }
        }
        Await.value("no more than before", Duration.ofSeconds(30), Beside.Use::now, now -> now.isLike(before));
    }
}
