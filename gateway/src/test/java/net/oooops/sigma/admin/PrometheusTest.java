package net.oooops.sigma.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Prometheus of Debian's scrapes a gateway, and is asked over its own API what it has; its promtool has nothing against the names.
 * Where they aren't installed this is left out, but with {@code SIGMA_CI} set, as by {@code .ci/run}, it fails then.
 */
class PrometheusTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
    private static final Duration START = Duration.ofSeconds(60);
    /** Somebody else may take a port before Prometheus does. */
    private static final int TRIES = 8;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    @BeforeAll
    static void needed() {
        boolean installed = isInstalled("prometheus") && isInstalled("promtool");
        Needed.here(installed, "prometheus and promtool are installed (Debian: prometheus)");
    }

    private static boolean isInstalled(String program) {
        for (String folder : System.getenv("PATH").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }

    /** A Prometheus that scrapes one target. */
    private record Prometheus(Process process, int port, HttpClient client) implements AutoCloseable {
        static Prometheus start(Path dir, int target) throws IOException {
            Path config = Files.writeString(dir.resolve("prometheus.yml"), """
            global:
              scrape_interval: 500ms
              scrape_timeout: 500ms
            scrape_configs:
              - job_name: sigma
                static_configs:
                  - targets: ["127.0.0.1:%d"]
            """.formatted(target));
            for (int i = 0; i < TRIES; i++) {
                int port;
                try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                    port = free.getLocalPort();
                }
                Process process = new ProcessBuilder(
                                "prometheus",
                                "--config.file=" + config,
                                "--storage.tsdb.path=" + dir.resolve("tsdb" + i),
                                "--web.listen-address=127.0.0.1:" + port)
                        .redirectErrorStream(true)
                        .redirectOutput(dir.resolve("prometheus.log").toFile())
                        .start();
                Prometheus started = new Prometheus(process, port, HttpClient.newHttpClient());
                if (Await.value("Prometheus", START, started::state, state -> !state.equals("starting"))
                        .equals("ready")) {
                    return started;
                }
                started.close();
            }
            throw new AssertionError(Files.readString(dir.resolve("prometheus.log")));
        }

        private String state() {
            if (!process.isAlive()) {
                return "ended";
            }
            try {
                return get("/-/ready").contains("Ready") ? "ready" : "starting";
            } catch (IOException e) {
                return "starting";
            }
        }

        private String get(String path) throws IOException {
            try {
                URI uri = URI.create("http://127.0.0.1:" + port + path);
                return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                        .body();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        /** The value of the one series that a query has; NaN where it has none yet. */
        double value(String query) {
            try {
                String path = "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
                JsonNode result = new ObjectMapper().readTree(get(path)).at("/data/result");
                assertThat(result.size()).as(query).isLessThanOrEqualTo(1);
                return result.isEmpty() ? Double.NaN : result.at("/0/value/1").asDouble();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        void await(String query, double expected) {
            Await.value(query, START, () -> value(query), value -> value == expected);
        }

        @Override
        public void close() {
            client.shutdownNow();
            process.destroy();
            process.onExit().completeOnTimeout(process, 10, TimeUnit.SECONDS).join();
            process.destroyForcibly();
        }
    }

    @Test
    void whatItScrapesIsWhatHappened() throws IOException {
        try (ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("ok"));
                PortHold down = ScriptedUpstream.refusedPort();
                GatewayFixture gateway = GatewayFixture.toPorts(good.port(), down.port())
                        .workers(2)
                        .admin("upstream")
                        .start();
                Prometheus prometheus = Prometheus.start(dir, Scrape.port(gateway.gateway()));
                RawClient client = gateway.connect()) {
            prometheus.await("up{job=\"sigma\"}", 1);
            for (int i = 0; i < 30; i++) {
                assertThat(client.send(GET).readResponse().status()).isEqualTo(200);
            }
            prometheus.await("sigma_requests_total{class=\"2xx\"}", 30);
            prometheus.await("sigma_workers", 2);
            prometheus.await("sum(sigma_node_response_seconds_count{upstream=\"upstream\"})", 30);
            prometheus.await("sigma_node_requests_total{node=\"127.0.0.1:" + good.port() + "\"}", 30);
            prometheus.await("sigma_node_ejections_total{cause=\"faults\",node=\"127.0.0.1:" + down.port() + "\"}", 1);
            assertThat(prometheus.value("histogram_quantile(0.5, sum by (le) (sigma_node_response_seconds_bucket))"))
                    .isBetween(0.0, 10.0);

            gateway.gateway().stop(Duration.ZERO);
            prometheus.await("up{job=\"sigma\"}", 0);
        }
    }

    @Test
    void promtoolHasNothingAgainstIt() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .breaker("requestsMax", 100)
                        .admin()
                        .start()) {
            Path page = Files.writeString(
                    dir.resolve("metrics"),
                    Scrape.get(gateway.gateway(), "/metrics").bodyText());
            Process promtool = new ProcessBuilder("promtool", "check", "metrics")
                    .redirectInput(page.toFile())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(said).isEmpty();
            assertThat(promtool.waitFor()).isZero();
        }
    }
}
