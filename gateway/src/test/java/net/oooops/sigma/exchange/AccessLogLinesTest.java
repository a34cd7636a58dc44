package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.AccessLogConfig;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.config.LogTemplate;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a gateway's exchanges leave in its access log. */
@Tag("plain")
class AccessLogLinesTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private Path file() {
        return dir.resolve("access.log");
    }

    private Gateway start(ScriptedUpstream upstream, AccessLogConfig.Format format) throws StartException {
        return start(GatewayFixture.to(upstream).route("/test/*").config(), format);
    }

    private Gateway start(SigmaConfig quiet, AccessLogConfig.Format format) throws StartException {
        SigmaConfig config = new SigmaConfig(
                quiet.listeners(),
                quiet.tcpListeners(),
                quiet.bolt(),
                quiet.udpListeners(),
                quiet.client(),
                quiet.routers(),
                quiet.proxyPasses(),
                quiet.upstreams(),
                new AccessLogConfig(format, file().toString(), 8192),
                quiet.errorPages(),
                quiet.runtime(),
                quiet.admin(),
                quiet.redis());
        PluginCatalog plugins = new PluginCatalog(Probe.LOADER);
        return Gateway.start(SnapshotCompiler.compile(config, plugins), 1, new VertxOptions());
    }

    private static RawClient connect(Gateway gateway) throws IOException {
        return RawClient.connect(gateway.addresses().getFirst().getPort());
    }

    private static void serve(Gateway gateway) throws IOException {
        try (RawClient client = connect(gateway)) {
            client.send("GET /test/a?b=c HTTP/1.1\r\nHost: example.com:81\r\nUser-Agent: \"x\"\r\nReferer: r\r\n\r\n")
                    .readResponse();
            client.send("GET /none HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            client.send("GET /test/cut HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
        }
        try (RawClient client = connect(gateway)) {
            client.send("GET /test/bad HTTP/1.1\r\nHost : a\r\n\r\n").readResponse();
        }
    }

    private static ScriptedUpstream upstream() throws IOException {
        return ScriptedUpstream.play(Script.script()
                .readRequest()
                .respond(Answer.ok("hello"))
                .readRequest()
                .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                .close());
    }

    @Test
    void eachExchangeIsOneObject() throws Exception {
        List<JsonNode> lines = new ArrayList<>();
        String node;
        try (ScriptedUpstream upstream = upstream()) {
            node = "127.0.0.1:" + upstream.port();
            Gateway gateway = start(upstream, AccessLogConfig.Format.JSON);
            serve(gateway);
            gateway.stop(Duration.ofSeconds(10));
            assertThat(gateway.counters().count(Counter.ACCESS_LOG_LINES)).isEqualTo(4);
        }
        for (String line : Files.readAllLines(file())) {
            lines.add(JSON.readTree(line));
        }
        assertThat(lines).hasSize(4);

        assertThat(texts(lines.get(0), "client", "method", "target", "protocol", "host", "status", "bytes"))
                .containsExactly("127.0.0.1", "GET", "/test/a?b=c", "HTTP/1.1", "example.com:81", "200", "5");
        assertThat(texts(lines.get(0), "listener", "route", "upstream", "node", "attempts", "flag", "reason"))
                .containsExactly("listener", "route0", "upstream", node, "1", "null", "null");
        assertThat(texts(lines.get(0), "referer", "user_agent")).containsExactly("r", "\"x\"");
        assertThat(lines.get(0).get("duration_ms").doubleValue()).isBetween(0.001, 60_000.0);
        assertThat(texts(
                        lines.get(1),
                        "target",
                        "status",
                        "flag",
                        "reason",
                        "route",
                        "node",
                        "node_time_ms",
                        "attempts"))
                .containsExactly("/none", "404", "NR", "NO_ROUTE", "null", "null", "null", "0");
        assertThat(texts(lines.get(2), "target", "status", "bytes", "flag", "reason"))
                .containsExactly("/test/cut", "200", "3", "UC", "UPSTREAM_TRUNCATED");
        assertThat(texts(lines.get(3), "target", "status", "flag", "reason"))
                .containsExactly("/test/bad", "400", "DPE", "BAD_REQUEST");
    }

    @Test
    void aTemplateIsALineOfOnesOwn() throws Exception {
        String node;
        try (ScriptedUpstream upstream = upstream()) {
            node = "127.0.0.1:" + upstream.port();
            Gateway gateway = start(
                    upstream,
                    LogTemplate.parse(
                            "{client-address} {method} {target} {path} {query} {protocol} {scheme} {status} {bytes} {router} {route}"
                                    + " {upstream} {node} {attempts} {flag} \"{header:User-Agent}\" {duration-ms} {node-time-ms}"));
            serve(gateway);
            gateway.stop(Duration.ofSeconds(10));
        }
        List<String> lines = Files.readAllLines(file());
        assertThat(lines).hasSize(4);
        String millis = "\\d+\\.\\d{3}";
        assertThat(lines.get(0))
                .matches("127\\.0\\.0\\.1 GET /test/a\\?b=c /test/a b=c HTTP/1\\.1 http 200 5 router route0 upstream "
                        + node + " 1 - \"\\\\x22x\\\\x22\" " + millis + " " + millis);
        assertThat(lines.get(1))
                .matches("127\\.0\\.0\\.1 GET /none /none - HTTP/1\\.1 http 404 \\d+ - - - - 0 NR \"-\" " + millis
                        + " -");
        assertThat(lines.get(2))
                .matches("127\\.0\\.0\\.1 GET /test/cut /test/cut - HTTP/1\\.1 http 200 3 router route0 upstream "
                        + node + " 1 UC \"-\" " + millis + " " + millis);
        assertThat(lines.get(3))
                .matches("127\\.0\\.0\\.1 GET /test/bad /test/bad - HTTP/1\\.1 http 400 \\d+ - - - - 0 DPE \"-\" "
                        + millis + " -");
    }

    private static String from(String path, String forwardedFor) {
        return "GET " + path + " HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: " + forwardedFor + "\r\n\r\n";
    }

    @Test
    void aTemplateHasTheClientThatTrustedProxiesName() throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("a"))) {
            SigmaConfig config = GatewayFixture.to(upstream)
                    .route("/test/*")
                    .allowForward(AllowForward.X_FORWARD, "127.0.0.1/32", "192.0.2.9/32")
                    .config();
            Gateway gateway = start(config, LogTemplate.parse("{client-address} {peer-address}"));
            try (RawClient client = connect(gateway)) {
                client.send(from("/test/a", "203.0.113.9, 198.51.100.7, 192.0.2.9"))
                        .readResponse();
                client.send(from("/test/a", "a\tb")).readResponse();
                client.send(from("/none", "198.51.100.7")).readResponse();
            }
            gateway.stop(Duration.ofSeconds(10));
        }
        assertThat(Files.readAllLines(file()))
                .containsExactly("198.51.100.7 127.0.0.1", "127.0.0.1 127.0.0.1", "198.51.100.7 127.0.0.1");
    }

    @Test
    void jsonAndCombinedHaveIt() throws Exception {
        for (AccessLogConfig.Format format :
                new AccessLogConfig.Format[] {AccessLogConfig.Format.JSON, AccessLogConfig.Format.COMBINED}) {
            try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("a"))) {
                SigmaConfig config = GatewayFixture.to(upstream)
                        .allowForward(AllowForward.ALL, "127.0.0.1/32")
                        .config();
                Gateway gateway = start(config, format);
                try (RawClient client = connect(gateway)) {
                    client.send(from("/a", "198.51.100.7, 2001:db8::7")).readResponse();
                }
                gateway.stop(Duration.ofSeconds(10));
            }
        }
        List<String> lines = Files.readAllLines(file());
        JsonNode line = JSON.readTree(lines.getFirst());
        assertThat(texts(line, "client", "peer")).containsExactly("2001:db8::7", "127.0.0.1");
        assertThat(line.get("node_time_ms").doubleValue())
                .isPositive()
                .isLessThan(line.get("duration_ms").doubleValue());
        assertThat(lines.getLast()).startsWith("2001:db8::7 - - [");
    }

    /** What plugins make of the fields is for the node: where the client is doesn't change by that. */
    @Test
    void theClientStaysWhereItIsWhateverPluginsMakeOfTheFields() throws Exception {
        Map<String, Object> edits = Map.of("request", Map.of("remove", List.of("X-Forwarded-For", "Forwarded")));
        List<String> seen = new CopyOnWriteArrayList<>();
        Probe behind = Probe.probe().onRequest(exchange -> {
            seen.add(exchange.clientAddress() + " " + exchange.clientIp().text());
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("a"))) {
            SigmaConfig config = GatewayFixture.to(upstream)
                    .route("/test/*", GatewayFixture.plugin("headers", edits), behind.config())
                    .allowForward(AllowForward.ALL, "127.0.0.1/32")
                    .config();
            Gateway gateway = start(config, LogTemplate.parse("{client-address} {peer-address}"));
            try (RawClient client = connect(gateway)) {
                client.send(from("/test/a", "198.51.100.7")).readResponse();
                client.send("GET /test/a HTTP/1.1\r\nHost: a\r\nForwarded: for=198.51.100.8\r\n\r\n")
                        .readResponse();
            }
            gateway.stop(Duration.ofSeconds(10));
        }
        assertThat(Files.readAllLines(file())).containsExactly("198.51.100.7 127.0.0.1", "198.51.100.8 127.0.0.1");
        assertThat(seen).containsExactly("198.51.100.7 198.51.100.7", "198.51.100.8 198.51.100.8");
    }

    /** The time of a node ends where its answer begins, and the exchange goes on. */
    @Test
    void aTemplateHasTheTimeOfTheNode() throws Exception {
        Gate body = new Gate();
        long headMillis;
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                .readRequest()
                .pause(Duration.ofMillis(30))
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
                .stall(body)
                .pause(Duration.ofMillis(100))
                .send("a"))) {
            Gateway gateway = start(upstream, LogTemplate.parse("{node-time-ms} {duration-ms}"));
            long began = System.nanoTime();
            try (RawClient client = connect(gateway)) {
                client.send(Ask.get("/test/a")).readHead();
                headMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
                body.release();
                client.readExactly(1);
            }
            gateway.stop(Duration.ofSeconds(10));
        }
        String[] times = Files.readString(file()).split(" ", -1);
        double node = Double.parseDouble(times[0]);
        assertThat(node).isBetween(29.0, headMillis + 1.0);
        assertThat(Double.parseDouble(times[1])).isGreaterThan(node + 50);
    }

    /** One for each connection whose protocol was switched, when it ends, whichever way. */
    @Test
    void aSwitchedConnectionHasALineAtItsEnd() throws Exception {
        try (RawServer nodes = RawServer.start()) {
            Gateway gateway = start(GatewayFixture.toPorts(nodes.port()).config(), AccessLogConfig.Format.JSON);
            try (TunnelEnds ends = TunnelEnds.open(connect(gateway), nodes, TunnelEnds.ASK, TunnelEnds.SWITCH)) {
                ends.node().send("12345").halfClose();
                TunnelEnds.read(ends.client(), "12345");
                assertThat(Files.size(file())).isZero();
                ends.client().halfClose();
                ends.node().expectCleanClose();
            }
            try (TunnelEnds ends = TunnelEnds.open(connect(gateway), nodes, TunnelEnds.ASK, TunnelEnds.SWITCH)) {
                ends.client().reset();
                ends.node().expectReset();
            }
            gateway.stop(Duration.ofSeconds(10));
            List<String> written = Files.readAllLines(file());
            assertThat(written).hasSize(2);
            assertThat(texts(JSON.readTree(written.get(0)), "target", "status", "bytes", "flag"))
                    .containsExactly("/chat", "101", "5", "null");
            assertThat(texts(JSON.readTree(written.get(1)), "target", "status", "bytes", "flag", "reason"))
                    .containsExactly("/chat", "101", "0", "DC", "CLIENT_GONE");
        }
    }

    @Test
    void aHedgedRequestHasTwoAttemptsAndTheNodeThatAnswered() throws Exception {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, HedgedNodes.after(gate, "slow"), Answer.ok("fast"))) {
            Gateway gateway = start(nodes.gateway().config(), AccessLogConfig.Format.JSON);
            try (RawClient client = connect(gateway)) {
                HedgedNodes.warm(client);
                assertThat(client.send(Ask.get(HedgedNodes.SLOW)).readResponse().bodyText())
                        .isEqualTo("fast");
            }
            gate.release();
            gateway.stop(Duration.ofSeconds(10));
            List<String> written = Files.readAllLines(file());
            JsonNode line = JSON.readTree(written.getLast());
            assertThat(texts(line, "target", "status", "attempts", "flag"))
                    .containsExactly(HedgedNodes.SLOW, "200", "2", "null");
            assertThat(line.get("node").asText()).isEqualTo("127.0.0.1:" + nodes.port(1));
        }
    }

    @Test
    void aNodeThatCouldNotBeReachedIsNamed() throws Exception {
        int port = FreePorts.one();
        SigmaConfig config = GatewayFixture.toPorts(port)
                .client("waitTimeoutNanos", Duration.ofNanos(1))
                .route("/test/*")
                .config();
        Gateway gateway = start(config, AccessLogConfig.Format.JSON);
        try (RawClient client = connect(gateway)) {
            client.send("GET /test/a HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
        }
        gateway.stop(Duration.ofSeconds(10));
        JsonNode line = JSON.readTree(Files.readString(file()));
        assertThat(texts(line, "node", "flag")).containsExactly("127.0.0.1:" + port, "UF");
        // It may be looked for once more before the time to wait is seen to be over.
        assertThat(line.get("attempts").asInt()).isBetween(1, 2);
    }

    @Test
    void howLongItWasRefusedIsTold() throws Exception {
        SigmaConfig config = GatewayFixture.toPorts(FreePorts.one())
                .client("waitTimeoutNanos", Duration.ofMillis(500))
                .route("/test/*")
                .config();
        Gateway gateway = start(config, AccessLogConfig.Format.JSON);
        try (RawClient client = connect(gateway)) {
            client.send("GET /test/a HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
        }
        gateway.stop(Duration.ofSeconds(10));
        JsonNode line = JSON.readTree(Files.readString(file()));
        assertThat(line.get("detail").asText())
                .matches(".* refused connections for ([5-9][0-9]{2}|[1-9][0-9]{3}) ms \\(wait-timeout\\)");
    }

    @Test
    void whichNodeWasTooLateIsTold() throws Exception {
        Gate never = new Gate();
        try (ScriptedUpstream upstream =
                ScriptedUpstream.play(Script.script().readRequest().stall(never))) {
            SigmaConfig config = GatewayFixture.to(upstream)
                    .proxyPass("responseTimeoutNanos", Duration.ofMillis(200))
                    .route("/test/*")
                    .config();
            Gateway gateway = start(config, AccessLogConfig.Format.JSON);
            try (RawClient client = connect(gateway)) {
                client.send("GET /test/a HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            }
            gateway.stop(Duration.ofSeconds(10));
            JsonNode line = JSON.readTree(Files.readString(file()));
            assertThat(texts(line, "reason", "detail"))
                    .containsExactly("UPSTREAM_TIMEOUT", "127.0.0.1:" + upstream.port());
            never.release();
        }
    }

    private static List<String> texts(JsonNode line, String... members) {
        List<String> texts = new ArrayList<>();
        for (String member : members) {
            texts.add(line.get(member).asText());
        }
        return texts;
    }

    @Test
    void combinedLinesEndWithTheFlag() throws Exception {
        try (ScriptedUpstream upstream = upstream()) {
            Gateway gateway = start(upstream, AccessLogConfig.Format.COMBINED);
            serve(gateway);
            gateway.stop(Duration.ofSeconds(10));
        }
        List<String> lines = Files.readAllLines(file());
        assertThat(lines).hasSize(4).allMatch(line -> line.startsWith("127.0.0.1 - - ["));
        assertThat(lines.get(0)).endsWith("] \"GET /test/a?b=c HTTP/1.1\" 200 5 \"r\" \"\\x22x\\x22\" -");
        assertThat(lines.get(1)).contains("] \"GET /none HTTP/1.1\" 404 ").endsWith(" \"-\" \"-\" NR");
        assertThat(lines.get(2)).endsWith("] \"GET /test/cut HTTP/1.1\" 200 3 \"-\" \"-\" UC");
        assertThat(lines.get(3)).contains("] \"GET /test/bad HTTP/1.1\" 400 ").endsWith(" \"-\" \"-\" DPE");
    }

    /** What the event loop itself took its time for, within one turn of it, is told as well. */
    @Test
    void timeWithinATurnOfTheEventLoopCounts() throws Exception {
        int millis = 30;
        Probe busy = Probe.probe().onRequest(exchange -> {
            long until = System.nanoTime() + millis * 1_000_000L;
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            return Outcome.respond(Response.text(200, "done"));
        });
        try (ScriptedUpstream upstream = upstream()) {
            SigmaConfig config = GatewayFixture.to(upstream)
                    .plugins(Probe.LOADER)
                    .route("/*", busy.config())
                    .config();
            Gateway gateway = start(config, AccessLogConfig.Format.JSON);
            try (RawClient client = connect(gateway)) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("done");
            }
            gateway.stop(Duration.ofSeconds(10));
        }
        JsonNode line = JSON.readTree(Files.readString(file()));
        assertThat(line.get("duration_ms").asDouble()).isGreaterThanOrEqualTo(millis);
    }
}
