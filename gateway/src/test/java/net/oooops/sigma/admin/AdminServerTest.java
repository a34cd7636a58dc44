package net.oooops.sigma.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Those who run Sigma ask it, and it answers without being kept from its work. */
class AdminServerTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";

    private static ActiveCheckConfig checks() {
        long often = TimeUnit.MILLISECONDS.toNanos(50);
        return new ActiveCheckConfig(
                new ActiveCheckConfig.Http(
                        "/health", "GET", null, List.of(new ActiveCheckConfig.Statuses(200, 299)), null),
                0,
                new ActiveCheckConfig.Rhythm(often, often, often * 20, 0),
                1,
                1);
    }

    private static GatewayFixture start() {
        return GatewayFixture.toPorts(1).admin().start();
    }

    @Test
    void withoutASettingNothingListens() {
        try (GatewayFixture gateway = GatewayFixture.toPorts(1).start()) {
            assertThat(gateway.gateway().adminAddress()).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/metrics, text/plain; version=0.0.4; charset=utf-8",
        "/health/live, text/plain; charset=utf-8",
        "/health/ready, text/plain; charset=utf-8",
        "/nodes, application/json",
        "/nodes?pretty, application/json"
    })
    void eachPageIsThere(String path, String type) {
        try (GatewayFixture gateway = start()) {
            RawResponse page = Scrape.get(gateway.gateway(), path);
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.header("Content-Type")).isEqualTo(type);
            assertThat(page.header("Cache-Control")).isEqualTo("no-store");
            assertThat(page.header("Access-Control-Allow-Origin")).isNull();
            assertThat(page.bodyText()).isNotEmpty();

            RawResponse head = Scrape.ask(gateway.gateway(), "HEAD " + path + " HTTP/1.1\r\nHost: [::1]:9901\r\n\r\n");
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Length")).isNotEqualTo("0");
            assertThat(head.bodyBytes()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/metrics/", "/Metrics", "/nodes/x", "*", "//metrics", "/health"})
    void otherPagesAreNot(String path) {
        try (GatewayFixture gateway = start()) {
            assertThat(Scrape.get(gateway.gateway(), path).status()).isEqualTo(404);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "FOO"})
    void nothingCanBeChanged(String method) {
        try (GatewayFixture gateway = start()) {
            RawResponse answer = Scrape.ask(
                    gateway.gateway(), method + " /nodes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.header("Allow")).isEqualTo("GET, HEAD");
        }
    }

    @Test
    void aPageOfAnotherNameLearnsNothing() {
        try (GatewayFixture gateway = start()) {
            Gateway asked = gateway.gateway();
            for (String host : List.of("rebound.example", "rebound.example:9901", "localhost.rebound.example")) {
                RawResponse answer = Scrape.ask(asked, "GET /nodes HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
                assertThat(answer.status()).isEqualTo(421);
                assertThat(answer.bodyText()).doesNotContain("upstream");
            }
            assertThat(Scrape.ask(asked, "GET /nodes HTTP/1.1\r\n\r\n").status())
                    .isEqualTo(400);
            assertThat(Scrape.ask(asked, "GET /nodes HTTP/1.0\r\n\r\n").status())
                    .isEqualTo(200);
            assertThat(Scrape.of(asked).value("sigma_admin_hosts_refused_total"))
                    .isEqualTo(3);
        }
    }

    @Test
    void oneRequestIsAnsweredOnAConnection() throws IOException {
        try (GatewayFixture gateway = start();
                RawClient client = RawClient.connect(Scrape.port(gateway.gateway()))) {
            client.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(client.readResponse().header("Connection")).isEqualTo("close");
            client.expectClosed();
        }
    }

    @Test
    void whatFollowsTheRequestIsNotAnswered() throws IOException {
        try (GatewayFixture gateway = start();
                RawClient client = RawClient.connect(Scrape.port(gateway.gateway()))) {
            client.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3));
            assertThat(client.readResponse().status()).isEqualTo(200);
            client.expectClosed();
        }
    }

    @Test
    void severalHostsAreRefusedAndTheTargetsOwnWins() {
        try (GatewayFixture gateway = start()) {
            Gateway asked = gateway.gateway();
            String two = "GET /nodes HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n";
            assertThat(Scrape.ask(asked, two).status()).isEqualTo(400);
            assertThat(absolute(asked, "http://evil.example/nodes").status()).isEqualTo(421);
            assertThat(absolute(asked, "http://evil.example:80?x").status()).isEqualTo(421);
            assertThat(absolute(asked, "http://127.0.0.1@evil.example/nodes").status())
                    .isEqualTo(400);
            assertThat(absolute(asked, "ftp://127.0.0.1/nodes").status()).isEqualTo(400);
            assertThat(absolute(asked, "HTTP://127.0.0.1:80/nodes").status()).isEqualTo(200);
            assertThat(absolute(asked, "http://[::1]/nodes").status()).isEqualTo(200);
        }
    }

    private static RawResponse absolute(Gateway asked, String target) {
        return Scrape.ask(asked, "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    }

    @Test
    void idleConnectionsDoNotKeepOthersOut() throws IOException {
        try (GatewayFixture gateway = start()) {
            int port = Scrape.port(gateway.gateway());
            List<RawClient> idle = new ArrayList<>();
            try {
                for (int i = 0; i < 3 * AdminServer.CONNECTIONS_MAX; i++) {
                    idle.add(RawClient.connect(port));
                }
                assertThat(Scrape.get(gateway.gateway(), "/health/live").status())
                        .isEqualTo(200);
                assertThat(Scrape.of(gateway).value("sigma_admin_connections_refused_total"))
                        .isGreaterThanOrEqualTo(2 * AdminServer.CONNECTIONS_MAX);
                idle.getFirst().expectClosed();
            } finally {
                idle.forEach(RawClient::reset);
            }
        }
    }

    @Test
    void whoOnlyHoldsAConnectionLosesIt() throws IOException {
        try (GatewayFixture gateway = start();
                RawClient slow = RawClient.connect(Scrape.port(gateway.gateway()))) {
            slow.deadline(Duration.ofSeconds(AdminServer.REQUEST_SECONDS_MAX + 30L));
            slow.send("GET /metrics HT");
            slow.expectClosed();
            assertThat(Scrape.of(gateway).value("sigma_admin_connections_cut_total"))
                    .isEqualTo(1);
        }
    }

    @Test
    void pagesThatNobodyTakesAreFewAndEnd() throws IOException {
        int[] ports = IntStream.range(10_000, 10_000 + Listing.NODES_MAX).toArray();
        try (GatewayFixture gateway = GatewayFixture.toPorts(ports).admin().start()) {
            List<RawClient> slow = new ArrayList<>();
            try {
                for (int i = 0; i < AdminServer.PAGES_MAX; i++) {
                    RawClient client = RawClient.connect(
                            Scrape.port(gateway.gateway()),
                            ClientOptions.defaults().withReceiveBufferBytes(4096));
                    slow.add(client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"));
                    assertThat(client.readHead().status()).isEqualTo(200);
                }
                RawResponse refused = Scrape.get(gateway.gateway(), "/nodes");
                assertThat(refused.status()).isEqualTo(503);
                assertThat(refused.header("Retry-After")).isEqualTo("1");
                assertThat(Scrape.get(gateway.gateway(), "/health/live").status())
                        .isEqualTo(200);
                // They are still connected, and take nothing.
                Await.until(
                        "room",
                        Duration.ofMinutes(1),
                        () -> Scrape.get(gateway.gateway(), "/nodes").status() == 200);
                Scrape scrape = Scrape.of(gateway);
                assertThat(scrape.value("sigma_admin_pages_refused_total")).isGreaterThanOrEqualTo(1);
                assertThat(scrape.value("sigma_admin_connections_cut_total")).isPositive();
            } finally {
                slow.forEach(RawClient::reset);
            }
        }
    }

    @Test
    void longLinesAndManyFieldsAreRefused() {
        try (GatewayFixture gateway = start()) {
            String line = "GET /" + "x".repeat(3000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
            assertThat(Scrape.ask(gateway.gateway(), line).status()).isEqualTo(414);
            String field = "GET / HTTP/1.1\r\nHost: localhost\r\nA: " + "x".repeat(9000) + "\r\n\r\n";
            assertThat(Scrape.ask(gateway.gateway(), field).status()).isBetween(400, 431);
        }
    }

    @Test
    void theCountsOfAllWorkersAreThere() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway =
                        GatewayFixture.to(node).workers(2).admin("upstream").start()) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                RawClient client = gateway.connect();
                clients.add(client);
                assertThat(client.send(GET).readResponse().status()).isEqualTo(200);
            }
            // The last one is counted when it has ended, which its client may know before.
            Await.until("all have ended", () -> gateway.count(Counter.REQUESTS_2XX) == 20);
            Scrape scrape = Scrape.of(gateway);
            assertThat(scrape.value("sigma_workers")).isEqualTo(2);
            assertThat(scrape.value("sigma_worker_stalled{worker=\"1\"}")).isZero();
            assertThat(scrape.value("sigma_requests_total{class=\"2xx\"}")).isEqualTo(20);
            assertThat(scrape.value("sigma_downstream_connections_open")).isEqualTo(20);
            assertThat(scrape.value("sigma_downstream_received_bytes_total")).isEqualTo(20 * GET.length());
            assertThat(scrape.ofNode("requests_total", node.port())).isEqualTo(20);
            assertThat(scrape.ofNode("response_seconds_count", node.port())).isEqualTo(20);
            assertThat(scrape.value("sigma_node_response_seconds_bucket{node=\"127.0.0.1:" + node.port()
                            + "\",upstream=\"upstream\",le=\"+Inf\"}"))
                    .isEqualTo(20);
            assertThat(scrape.ofNode("response_seconds_sum", node.port())).isPositive();
            assertThat(scrape.ofNode("health", node.port(), "health=\"healthy\""))
                    .isEqualTo(1);
            assertThat(scrape.value("sigma_upstream_nodes_available{upstream=\"upstream\"}"))
                    .isEqualTo(1);
            Await.until("pools", () -> {
                Scrape later = Scrape.of(gateway);
                double open = later.ofNode("connections_open", node.port());
                return open >= 1 && later.ofNode("connections_idle", node.port()) == open;
            });
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void whatGoesWrongIsCounted() throws IOException {
        try (ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("ok"));
                PortHold down = ScriptedUpstream.refusedPort();
                GatewayFixture gateway = GatewayFixture.toPorts(down.port(), good.port())
                        .admin("upstream")
                        .breaker("requestsMax", 100)
                        .start();
                RawClient client = gateway.connect()) {
            Await.until("ejected", () -> {
                try {
                    assertThat(client.send(GET).readResponse().status()).isEqualTo(200);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return Scrape.of(gateway).ofNode("ejections_total", down.port(), "cause=\"faults\"") == 1;
            });
            Scrape scrape = Scrape.of(gateway);
            assertThat(scrape.ofNode("retries_total", down.port()))
                    .isPositive()
                    .isEqualTo(scrape.value("sigma_upstream_retries_total"));
            assertThat(scrape.ofNode("retries_total", good.port())).isZero();
            assertThat(scrape.ofNode("failures_total", down.port())).isPositive();
            assertThat(scrape.ofNode("connect_failures_total", down.port())).isPositive();
            assertThat(scrape.ofNode("requests_total", down.port())).isZero();
            assertThat(scrape.ofNode("connect_failures_total", good.port())).isZero();
            assertThat(scrape.ofNode("requests_total", good.port())).isPositive();
            assertThat(scrape.ofNode("response_seconds_count", down.port())).isZero();
            assertThat(scrape.ofNode("health", down.port(), "health=\"healthy\""))
                    .isZero();
            assertThat(scrape.value("sigma_upstream_nodes_available{upstream=\"upstream\"}"))
                    .isEqualTo(1);
            assertThat(scrape.value("sigma_upstream_breaker_requests_limit{upstream=\"upstream\"}"))
                    .isEqualTo(100);
            assertThat(Scrape.get(gateway.gateway(), "/health/ready").status()).isEqualTo(200);

            JsonNode node = node(gateway, 0);
            assertThat(node.get("health").asText()).isIn("ejected", "trial");
            assertThat(node.get("why").asText()).contains("in a row");
        }
    }

    @Test
    void aBreakerIsThere() throws IOException {
        try (ScriptedUpstream bad = ScriptedUpstream.start(request -> Answer.of(500));
                GatewayFixture gateway = GatewayFixture.to(bad)
                        .admin()
                        .withoutRetries()
                        .breaker("errorPercent", 50)
                        .breaker("openNanos", Duration.ofMinutes(1))
                        .breaker("requestsMin", 5)
                        .start();
                RawClient client = gateway.connect()) {
            String state = "sigma_upstream_breaker_state{state=\"%s\",upstream=\"upstream\"}";
            assertThat(Scrape.of(gateway).value(state.formatted("closed"))).isEqualTo(1);
            Await.until("open", () -> {
                try {
                    client.send(GET).readResponse();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return Scrape.of(gateway).value(state.formatted("open")) == 1;
            });
            assertThat(client.send(GET).readResponse().status()).isEqualTo(503);
            Scrape scrape = Scrape.of(gateway);
            assertThat(scrape.value(state.formatted("closed"))).isZero();
            assertThat(scrape.value("sigma_upstream_breaker_openings_total{upstream=\"upstream\"}"))
                    .isEqualTo(1);
            assertThat(scrape.value("sigma_upstream_breaker_refusals_total{limit=\"open\",upstream=\"upstream\"}"))
                    .isPositive()
                    .isEqualTo(scrape.value("sigma_upstream_requests_refused_total"));
            assertThat(scrape.value("sigma_faults_total{fault=\"breaker_open\"}"))
                    .isPositive();
        }
    }

    @Test
    void aSpentRetryBudgetIsCounted() throws IOException {
        try (ScriptedUpstream one = ScriptedUpstream.start(request -> Answer.of(503));
                ScriptedUpstream other = ScriptedUpstream.start(request -> Answer.of(503));
                GatewayFixture gateway =
                        GatewayFixture.to(one, other).budget(0, 0).admin().start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(GET).readResponse().status()).isEqualTo(503);
            Scrape scrape = Scrape.of(gateway);
            assertThat(scrape.value("sigma_upstream_retry_budget{upstream=\"upstream\"}"))
                    .isZero();
            assertThat(scrape.value("sigma_upstream_retry_budget_refusals_total{upstream=\"upstream\"}"))
                    .isEqualTo(1);
            assertThat(scrape.value("sigma_upstream_retries_over_budget_total")).isEqualTo(1);
        }
    }

    @Test
    void requestsThatWaitAreThere() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(silent)
                        .client("maxPoolSizePerServer", 1)
                        .admin()
                        .start();
                RawClient one = gateway.connect();
                RawClient two = gateway.connect()) {
            one.send(GET);
            two.send(GET);
            Await.until("one waits", () -> Scrape.of(gateway).ofNode("waiting", silent.port()) == 1);
            Scrape scrape = Scrape.of(gateway);
            assertThat(scrape.ofNode("in_flight", silent.port())).isEqualTo(2);
            assertThat(scrape.ofNode("connections_open", silent.port())).isEqualTo(1);
            assertThat(node(gateway, 0).get("in_flight").asInt()).isEqualTo(2);
        }
    }

    @Test
    void connectionsThatSlowClientsHoldAreThere() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(node).admin().start();
                RawClient slow = gateway.connect()) {
            slow.send("POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 100000\r\n\r\nbegun");
            Await.until("held", () -> Scrape.of(gateway).ofNode("connections_held", node.port()) == 1);
            slow.reset();
            Await.until("let go", () -> Scrape.of(gateway).ofNode("connections_held", node.port()) == 0);
        }
    }

    @Test
    void readyIsWhoseNamedUpstreamHasAHealthyNode() throws IOException {
        AtomicBoolean well = new AtomicBoolean();
        Instant before = Instant.now().minusSeconds(1);
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> well.get() ? Answer.ok("ok") : Answer.of(500));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .checked(checks())
                        .admin("upstream")
                        .start()) {
            Gateway asked = gateway.gateway();
            Await.until("down", () -> Scrape.get(asked, "/health/ready").status() == 503);
            assertThat(Scrape.get(asked, "/health/ready").bodyText()).isEqualTo("upstream upstream: no healthy node\n");
            assertThat(Scrape.get(asked, "/health/live").status()).isEqualTo(200);
            assertThat(Scrape.of(asked).ofNode("health", node.port(), "health=\"down\""))
                    .isEqualTo(1);
            assertThat(Scrape.of(asked).ofNode("checks_total", node.port(), "result=\"failed\""))
                    .isPositive();
            JsonNode found = node(gateway, 0);
            assertThat(found.get("node").asText()).isEqualTo("127.0.0.1:" + node.port());
            assertThat(found.get("health").asText()).isEqualTo("down");
            assertThat(found.get("why").asText()).contains("500");
            assertThat(found.get("weight").asInt()).isEqualTo(1);
            assertThat(Instant.parse(found.get("since").asText())).isBetween(before, Instant.now());

            well.set(true);
            Await.until("up", () -> Scrape.get(asked, "/health/ready").status() == 200);
            assertThat(node(gateway, 0).get("health").asText()).isEqualTo("healthy");
            assertThat(node(gateway, 0).get("why").asText()).isEmpty();
            assertThat(Scrape.of(asked).ofNode("check_seconds", node.port())).isPositive();
        }
    }

    @Test
    void anUpstreamThatIsNotNamedDoesNotMatter() {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.of(500));
                GatewayFixture gateway =
                        GatewayFixture.to(node).checked(checks()).admin().start()) {
            Await.until("down", () -> node(gateway, 0).get("health").asText().equals("down"));
            assertThat(Scrape.get(gateway.gateway(), "/health/ready").status()).isEqualTo(200);
        }
    }

    @Test
    void whileItDrainsItIsLiveButNotReady() throws Exception {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                GatewayFixture fixture = GatewayFixture.to(silent).admin().start();
                RawClient client = fixture.connect()) {
            Gateway gateway = fixture.gateway();
            int port = Scrape.port(gateway);
            client.send(GET);
            silent.awaitRequests(1);
            CompletableFuture<Long> stopping = CompletableFuture.supplyAsync(
                    () -> gateway.stop(Duration.ofMinutes(1)),
                    task -> Thread.ofPlatform().name("stop").start(task));
            Await.until("draining", () -> Scrape.get(gateway, "/health/ready").status() == 503);
            assertThat(Scrape.get(gateway, "/health/ready").bodyText()).isEqualTo("draining\n");
            assertThat(Scrape.get(gateway, "/health/live").status()).isEqualTo(200);
            assertThat(Scrape.of(gateway).value("sigma_draining")).isEqualTo(1);
            assertThat(Scrape.of(gateway).value("sigma_requests_in_flight")).isEqualTo(1);
            client.reset();
            stopping.get(20, TimeUnit.SECONDS);
            try (ServerSocket free = new ServerSocket()) {
                free.setReuseAddress(true);
                free.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                assertThat(free.isBound()).isTrue();
            }
        }
    }

    private static JsonNode node(GatewayFixture gateway, int index) {
        try {
            JsonNode page = new ObjectMapper()
                    .readTree(Scrape.get(gateway.gateway(), "/nodes").bodyText());
            return Objects.requireNonNull(
                    page.get("upstreams").get(0).get("nodes").get(index));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
