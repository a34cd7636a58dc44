package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many reloads, each with another route and other nodes, some of which can't take effect, under load that must not notice. */
@Tag("long")
class ReloadSoakTest {
    private static final PluginCatalog PLUGINS = new PluginCatalog(ReloadSoakTest.class.getClassLoader());
    private static final int RELOADS = 300;
    private static final int CLIENTS = 4;

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger answers = new AtomicInteger();

    @Test
    void nobodyNotices() throws Exception {
        int[] ports = FreePorts.several(2);
        try (ScriptedUpstream one = ScriptedUpstream.start(request -> Answer.ok("one"));
                ScriptedUpstream two = ScriptedUpstream.start(request -> Answer.ok("two"));
                ServerSocket echo = echo()) {
            Sigma sigma = new Sigma(ports[0], ports[1], one.port(), two.port(), echo.getLocalPort());
            Gateway gateway = Gateway.start(SnapshotCompiler.compile(sigma.read(0), PLUGINS), 2, new VertxOptions());
            try (RawClient session = RawClient.connect(ports[1])) {
                say(session, "first");
                List<CompletableFuture<Void>> clients = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(CompletableFuture.runAsync(
                            () -> ask(ports[0]), task -> Thread.ofVirtual().start(task)));
                }
                for (int i = 1; i <= RELOADS; i++) {
                    reload(gateway, sigma, i);
                    expectHolds(ports[0], i % 3 == 0 ? i - 1 : i);
                    say(session, "at " + i);
                }
                over.set(true);
                clients.forEach(CompletableFuture::join);
                say(session, "last");

                assertThat(answers.get()).isGreaterThan(RELOADS);
                assertThat(gateway.generation()).isEqualTo(1 + RELOADS - RELOADS / 3);
                assertThat(gateway.counters().count(Counter.CONFIG_RELOADS_FAILED))
                        .isEqualTo(RELOADS / 3);
                // The session holds the first one.
                Await.value("generations", gateway::generationCount, count -> count == 2);
            } finally {
                over.set(true);
                gateway.stop(Duration.ofSeconds(2));
            }
        }
    }

    private static void reload(Gateway gateway, Sigma sigma, int number) throws StartException {
        SigmaConfig config = sigma.read(number);
        if (number % 3 == 0) {
            assertThatThrownBy(() -> gateway.reload(before ->
                            new Gateway.Next(SnapshotCompiler.compile(sigma.withTakenPort(number), PLUGINS, before))))
                    .isInstanceOf(StartException.class);
        } else {
            gateway.reload(before -> new Gateway.Next(SnapshotCompiler.compile(config, PLUGINS, before)));
        }
    }

    /** That one of them holds, and none before it. */
    private static void expectHolds(int port, int number) throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            client.send("GET /n" + number + " HTTP/1.1\r\nHost: a\r\n\r\n");
            RawResponse answer = client.readResponse();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.header("X-Number")).isEqualTo(String.valueOf(number));
            client.send("GET /n" + (number - 1) + " HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(404);
        }
    }

    /** Asks again and again on one connection. */
    private void ask(int port) {
        try (RawClient client = RawClient.connect(port)) {
            while (!over.get()) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
                RawResponse answer = client.readResponse();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.bodyText()).isIn("one", "two");
                answers.incrementAndGet();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void say(RawClient session, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        session.send(bytes);
        assertThat(session.readExactly(bytes.length)).isEqualTo(bytes);
    }

    private static ServerSocket echo() throws IOException {
        ServerSocket server = new ServerSocket(0);
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try {
                    Socket accepted = server.accept();
                    Thread.ofVirtual().start(() -> echo(accepted));
                } catch (IOException e) {
                    return;
                }
            }
        });
        return server;
    }

    private static void echo(Socket accepted) {
        try (accepted) {
            accepted.getInputStream().transferTo(accepted.getOutputStream());
        } catch (IOException e) {
            // The other side has gone.
        }
    }

    /** What sigma.json says at each reload. */
    private record Sigma(int port, int sessionPort, int one, int two, int echo) {
        SigmaConfig read(int number) {
            return read(number, "");
        }

        SigmaConfig withTakenPort(int number) {
            return read(number, ", {\"id\": \"taken\", \"host\": \"127.0.0.1\", \"port\": " + echo + "}");
        }

        private SigmaConfig read(int number, String servers) {
            String nodes = number % 2 == 0
                    ? "\"http://127.0.0.1:" + one + "\""
                    : "\"http://127.0.0.1:" + one + "\", {\"url\": \"http://127.0.0.1:" + two + "\", \"weight\": "
                            + (1 + number % 5) + "}";
            String json = "{\"proxy-server\": {\"http\": [{\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": "
                    + port
                    + "}" + servers + "], \"tcp\": [{\"id\": \"t\", \"host\": \"127.0.0.1\", \"port\": " + sessionPort
                    + ", \"proxy-pass-id\": \"t\"}]}, \"router\": [{\"id\": \"r\", \"proxy-server-id\": \"s\","
                    + " \"route\": [{\"id\": \"a\", \"path\": \"/a\", \"proxy-pass-id\": \"p\"},"
                    + " {\"id\": \"n\", \"path\": \"/n" + number + "\", \"proxy-pass-id\": \"p\"}]}],"
                    + " \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\", \"plugin\": {\"headers\":"
                    + " {\"response\": {\"set\": {\"X-Number\": \"" + number
                    + "\"}}}}}, {\"id\": \"t\", \"upstream-id\":"
                    + " \"e\"}], \"upstream\": [{\"id\": \"u\", \"nodes\": [" + nodes + "]},"
                    + " {\"id\": \"e\", \"nodes\": [\"tcp://127.0.0.1:" + echo + "\"]}]}";
            ConfigResult result = new ConfigReader(PLUGINS.schemas(), PLUGINS::tryOut)
                    .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
            if (result instanceof ConfigResult.Valid valid) {
                return valid.config();
            }
            throw new AssertionError(((ConfigResult.Invalid) result).text(json));
        }
    }
}
