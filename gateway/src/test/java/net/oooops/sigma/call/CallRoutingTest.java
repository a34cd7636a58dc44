package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which node a call goes to, what the access log says of it, and mode relay. */
class CallRoutingTest {
    @TempDir
    Path folder;

    private static Map<String, Object> header(Map<String, Object> match) {
        return Map.of("header", List.of(match));
    }

    /** A node that answers with its name. */
    private static void serve(RawServer server, String name) {
        Thread.ofVirtual().start(() -> {
            try (RawClient connection = server.accept()) {
                while (true) {
                    connection.send(BoltMessage.read(connection).answer(name).bytes());
                }
            } catch (IOException | AssertionError e) {
                // The test is over.
            }
        });
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            a.Exact,   key,  value,   one
            a.Exacter, key,  value,   five
            b.c.Any,   key,  value,   two
            b.c,       key,  value,   five
            x.Y,       k,    v,       three
            x.Y,       k,    vv,      five
            x.Y,       K,    v,       five
            x.Y,       p,    prefix,  four
            x.Y,       p,    pref,    four
            x.Y,       p,    pre,     five
            x.Y,       r,    42,      six
            x.Y,       r,    421,     five
            x.Y,       s,    '',      seven
            """)
    void theFirstThatFitsTakesTheCall(String className, String key, String value, String expected) throws IOException {
        String[] names = {"one", "two", "three", "four", "six", "seven", "five"};
        RawServer[] servers = new RawServer[names.length];
        for (int i = 0; i < names.length; i++) {
            servers[i] = RawServer.start();
            serve(servers[i], names[i]);
        }
        try (BoltFixture gateway = BoltFixture.to()
                        .route(Map.of("class-name", "a.Exact"), servers[0])
                        .route(Map.of("class-name", "b.c.*"), servers[1])
                        .route(header(Map.of("name", "k", "exact", "v")), servers[2])
                        .route(header(Map.of("name", "p", "prefix", "pref")), servers[3])
                        .route(header(Map.of("name", "r", "regexp", "[0-9]{2}")), servers[4])
                        .route(header(Map.of("name", "s", "present", true)), servers[5])
                        .route(header(Map.of("name", "absent", "present", false)), servers[6])
                        .start();
                RawClient client = gateway.connect()) {
            BoltMessage request =
                    BoltMessage.request(2, 1, className, "x").withKeys("other", "o", key, value, "last", "l");
            client.send(request.bytes());
            assertThat(BoltMessage.read(client).text()).isEqualTo(expected);
            // A header that is no map fits no condition, not even that a key be absent.
            client.send(BoltMessage.request(2, 2, "x.Y", "x")
                    .withHeader(new byte[] {0, 0, 0, 9, 1})
                    .bytes());
            assertThat(BoltMessage.read(client).word()).isEqualTo(Status.NO_PROCESSOR.code());
        }
        for (RawServer server : servers) {
            server.close();
        }
    }

    @Test
    void theLogHasALineForEachCall() throws IOException {
        Path log = folder.resolve("access.log");
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .top("plugins", Map.of("log-config", Map.of("format", "json", "file", log.toString())))
                        .start();
                RawClient client = gateway.connect()) {
            BoltMessage request = BoltMessage.request(1, 1, "com.acme.Request", "x");
            client.send(request.bytes());
            serve(server, "hello");
            BoltMessage.read(client);
            client.send(
                    request.withKeys("sofa_head_method_name", "say", "sofa_head_target_service", "com.acme.Echo:1.0")
                            .bytes());
            BoltMessage.read(client);
            client.send(request.withType(2).bytes());
            gateway.awaitCount(Counter.ACCESS_LOG_LINES, 3);
            Await.until("three lines", () -> lines(log).size() == 3);
            assertThat(lines(log).get(0))
                    .contains(
                            "\"method\":\"CALL\",\"target\":\"com.acme.Request\",\"protocol\":\"BOLT/1\"",
                            "\"status\":0,",
                            "\"listener\":\"bolt\",\"tls\":null,\"router\":null,\"route\":\"rest\",\"upstream\":\"upstream\",\"node\":\"127.0.0.1:"
                                    + server.port(),
                            "\"flag\":null");
            assertThat(lines(log).get(1)).contains("\"target\":\"com.acme.Echo:1.0/say\"");
            assertThat(lines(log).get(2)).contains("\"method\":\"ONE-WAY\"");
        }
    }

    private static List<String> lines(Path log) {
        try {
            return Files.exists(log) ? Files.readAllLines(log) : List.of();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void inModeRelayBytesPassAsTheyAre() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).relay().start();
                RawClient client = gateway.connect()) {
            BoltMessage heartbeat = BoltMessage.heartbeat(3, 7);
            client.send(heartbeat.bytes()).send("no frame at all");
            RawClient node = server.accept();
            assertThat(BoltMessage.read(node).bytes()).isEqualTo(heartbeat.bytes());
            assertThat(new String(node.readExactly(15), java.nio.charset.StandardCharsets.US_ASCII))
                    .isEqualTo("no frame at all");
            node.send(heartbeat.answer("").bytes());
            assertThat(BoltMessage.read(client).id()).isEqualTo(7);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
            client.halfClose();
            node.expectClosed();
            node.close();
            client.expectCleanClose();
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
        }
    }

    @Test
    void aNodeGetsSoManyConnectionsAsIsSaid() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway =
                        BoltFixture.to(server).nodes("connections-per-node", 3).start();
                RawClient client = gateway.connect()) {
            for (int id = 0; id < 9; id++) {
                client.send(BoltMessage.request(2, id, "a.B", "x").bytes());
            }
            for (int i = 0; i < 3; i++) {
                Echo.serve(server.accept());
            }
            for (int i = 0; i < 9; i++) {
                assertThat(BoltMessage.read(client).text()).isEqualTo("x");
            }
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 3);
        }
    }
}
