package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Another configuration takes effect while the gateway runs. */
@Order(1)
class ReloadTest {
    private static final PluginCatalog PLUGINS = new PluginCatalog(ReloadTest.class.getClassLoader());

    @Test
    void whatBeginsFromThenOnFollowsIt() throws Exception {
        try (ScriptedUpstream one = answering("one");
                ScriptedUpstream other = answering("other");
                Running running = Running.start(sigma(0, one.port(), "/a"))) {
            try (RawClient client = running.connect()) {
                assertThat(get(client, "/a").bodyText()).isEqualTo("one");
                assertThat(get(client, "/b").status()).isEqualTo(404);

                running.reload(sigma(0, other.port(), "/b"));

                assertThat(get(client, "/a").status())
                        .as("the same connection goes on")
                        .isEqualTo(404);
                assertThat(get(client, "/b").bodyText()).isEqualTo("other");
            }
            assertThat(running.gateway.generation()).isEqualTo(2);
            assertThat(running.count(Counter.CONFIG_RELOADS)).isEqualTo(1);
            running.awaitGenerations(1);
        }
    }

    @Test
    void whatIsUnderWayGoesOnByWhatItBeganWith() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream one = ScriptedUpstream.play(
                        Script.script().readRequest().stall(gate).respond(Answer.ok("one")));
                ScriptedUpstream other = answering("other");
                Running running = Running.start(sigma(0, one.port(), "/a"));
                RawClient client = running.connect();
                RawClient another = running.connect()) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            one.awaitRequests(1);

            running.reload(sigma(0, other.port(), "/a"));

            assertThat(get(another, "/a").bodyText()).isEqualTo("other");
            assertThat(running.gateway.generationCount()).isEqualTo(2);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("one");
            running.awaitGenerations(1);
            assertThat(get(client, "/a").bodyText()).isEqualTo("other");
        }
    }

    /** Alone of what {@code runtime} says: it is a matter of nodes. */
    @Test
    void theZoneIsAnother() throws Exception {
        try (ScriptedUpstream one = answering("one");
                ScriptedUpstream other = answering("other");
                Running running = Running.start(zoned("a", one, other));
                RawClient client = running.connect()) {
            for (int i = 0; i < 4; i++) {
                assertThat(get(client, "/a").bodyText()).isEqualTo("one");
            }

            running.reload(zoned("b", one, other));

            for (int i = 0; i < 4; i++) {
                assertThat(get(client, "/a").bodyText()).isEqualTo("other");
            }
        }
    }

    private static ObjectNode zoned(String zone, ScriptedUpstream one, ScriptedUpstream other) throws IOException {
        ObjectNode sigma = sigma(0, one.port(), "/a");
        sigma.putObject("runtime").put("zone", zone);
        ArrayNode nodes = ((ObjectNode) sigma.at("/upstream/0")).putArray("nodes");
        nodes.addObject().put("url", "http://127.0.0.1:" + one.port()).put("zone", "a");
        nodes.addObject().put("url", "http://127.0.0.1:" + other.port()).put("zone", "b");
        return sigma;
    }

    @Test
    void whatDidNotChangeIsNotTouched() throws Exception {
        try (ScriptedUpstream node = answering("one");
                Running running = Running.start(sigma(0, node.port(), "/a"));
                RawClient client = running.connect()) {
            assertThat(get(client, "/a").bodyText()).isEqualTo("one");
            Upstream before = running.gateway.upstreams().getFirst();
            int port = running.port();

            for (int i = 0; i < 20; i++) {
                running.reload(sigma(0, node.port(), "/a", "/" + i));
                assertThat(get(client, "/a").bodyText()).isEqualTo("one");
                assertThat(get(client, "/" + i).bodyText()).isEqualTo("one");
            }

            assertThat(running.gateway.upstreams().getFirst()).isSameAs(before);
            assertThat(running.port()).isEqualTo(port);
            assertThat(node.connectionCount()).as("the pool stays").isEqualTo(1);
            running.awaitGenerations(1);
        }
    }

    @Test
    void whatHasAProblemLeavesAllAsItWas() throws Exception {
        try (ScriptedUpstream node = answering("one");
                Running running = Running.start(sigma(0, node.port(), "/a"));
                RawClient client = running.connect()) {
            int taken = node.port();
            ObjectNode wrong = sigma(0, node.port(), "/b");
            ((ObjectNode) wrong.at("/proxy-server/http/0")).put("port", taken);

            assertThatThrownBy(() -> running.reload(wrong))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("can't listen on 127.0.0.1:" + taken);

            assertThat(get(client, "/a").bodyText()).isEqualTo("one");
            assertThat(get(client, "/b").status()).isEqualTo(404);
            assertThat(running.gateway.generation()).isEqualTo(1);
            assertThat(running.count(Counter.CONFIG_RELOADS_FAILED)).isEqualTo(1);
            running.reload(sigma(0, node.port(), "/b"));
            assertThat(get(client, "/b").bodyText()).isEqualTo("one");
        }
    }

    @Test
    void aServerThatMovesOpensBeforeItCloses() throws Exception {
        int[] ports = FreePorts.several(2);
        try (ScriptedUpstream node = answering("one");
                Running running = Running.start(sigma(ports[0], node.port(), "/a"));
                RawClient before = running.connect()) {
            assertThat(get(before, "/a").bodyText()).isEqualTo("one");

            running.reload(sigma(ports[1], node.port(), "/a"));

            before.expectCleanClose();
            try (RawClient client = RawClient.connect(ports[1])) {
                assertThat(get(client, "/a").bodyText()).isEqualTo("one");
            }
            assertThatThrownBy(() -> RawClient.connect(ports[0])).isInstanceOf(ConnectException.class);
            running.awaitGenerations(1);
        }
    }

    /** Its files may be on a disk that doesn't answer. */
    @Test
    @Timeout(30)
    void oneThatIsNeverReadKeepsNobodyFromStopping() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        try (ScriptedUpstream node = answering("one")) {
            Running running = Running.start(sigma(0, node.port(), "/a"));
            SigmaConfig next = Running.read(sigma(0, node.port(), "/b"));
            CompletableFuture<Void> reload = CompletableFuture.runAsync(
                    () -> {
                        try {
                            running.gateway.reload(before -> {
                                reading.countDown();
                                awaited(read);
                                return new Gateway.Next(SnapshotCompiler.compile(next, PLUGINS, before));
                            });
                        } catch (StartException e) {
                            throw new CompletionException(e);
                        }
                    },
                    task -> Thread.ofVirtual().start(task));
            awaited(reading);

            running.close();

            read.countDown();
            assertThatThrownBy(reload::join).hasRootCauseMessage("stopping").hasMessageContaining("is stopping");
            assertThat(running.gateway.generation()).isEqualTo(1);
        }
    }

    /** Whoever asks is told, and may ask again. */
    @Test
    void oneThatFailsInAnyOtherWayLeavesAllAsItWas() throws Exception {
        try (ScriptedUpstream node = answering("one");
                Running running = Running.start(sigma(0, node.port(), "/a"));
                RawClient client = running.connect()) {
            for (Error thrown : List.of(new NoClassDefFoundError("a/B"), new AssertionError("wrong"))) {
                assertThatThrownBy(() -> running.gateway.reload(before -> {
                            throw thrown;
                        }))
                        .isInstanceOf(StartException.class)
                        .hasMessageContaining(thrown.getMessage());
            }
            assertThat(running.count(Counter.CONFIG_RELOADS_FAILED)).isEqualTo(2);
            assertThat(get(client, "/a").bodyText()).isEqualTo("one");
            running.reload(sigma(0, node.port(), "/b"));
            assertThat(get(client, "/b").bodyText()).isEqualTo("one");
        }
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static ScriptedUpstream answering(String body) {
        return ScriptedUpstream.start(request -> Answer.ok(body));
    }

    private static RawResponse get(RawClient client, String path) throws IOException {
        client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        return client.readResponse();
    }

    /** With one server, and routes that lead to one node. */
    private static ObjectNode sigma(int port, int nodePort, String... paths) throws IOException {
        StringBuilder routes = new StringBuilder();
        for (int i = 0; i < paths.length; i++) {
            routes.append(i == 0 ? "" : ", ")
                    .append("{\"id\": \"" + i + "\", \"path\": \"" + paths[i] + "\", \"proxy-pass-id\": \"p\"}");
        }
        String json = "{\"proxy-server\": {\"http\": [{\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": " + port
                + "}]}, \"router\": [{\"id\": \"r\", \"proxy-server-id\": \"s\", \"route\": [" + routes
                + "]}], \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                + " \"upstream\": [{\"id\": \"u\", \"nodes\": [\"http://127.0.0.1:" + nodePort + "\"]}]}";
        return (ObjectNode) new ObjectMapper().readTree(json);
    }

    /** A gateway that is given one sigma.json after the other. */
    private record Running(Gateway gateway) implements AutoCloseable {
        static Running start(ObjectNode sigma) throws StartException {
            return new Running(Gateway.start(SnapshotCompiler.compile(read(sigma), PLUGINS), 2, new VertxOptions()));
        }

        void reload(ObjectNode sigma) throws StartException {
            SigmaConfig config = read(sigma);
            gateway.reload(before -> new Gateway.Next(SnapshotCompiler.compile(config, PLUGINS, before)));
        }

        private static SigmaConfig read(ObjectNode sigma) {
            ConfigResult result = new ConfigReader(PLUGINS.schemas(), PLUGINS::tryOut)
                    .read(
                            sigma.toString().getBytes(StandardCharsets.UTF_8),
                            Path.of("").toAbsolutePath());
            if (result instanceof ConfigResult.Valid valid) {
                return valid.config();
            }
            throw new AssertionError(((ConfigResult.Invalid) result).text(sigma.toString()));
        }

        int port() {
            return gateway.addresses().getFirst().getPort();
        }

        RawClient connect() throws IOException {
            return RawClient.connect(port());
        }

        long count(Counter counter) {
            return gateway.counters().count(counter);
        }

        void awaitGenerations(int count) {
            Await.value("generations", gateway::generationCount, seen -> seen == count);
        }

        @Override
        public void close() {
            gateway.stop(Duration.ZERO);
        }
    }
}
