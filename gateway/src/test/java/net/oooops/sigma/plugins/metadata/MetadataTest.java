package net.oooops.sigma.plugins.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static Plugin plugin(Map<String, ?> values, Map<String, ?> fields) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("values", values);
        settings.put("fields", fields);
        return new MetadataFactory().create(Settings.of(settings), new TestContext());
    }

    @Test
    void placesGoTogether() throws Exception {
        Plugin server = plugin(Map.of("team", "outer", "env", "test"), Map.of("team", "X-Team", "env", "X-Env"));
        Plugin route = plugin(Map.of("team", "inner", "tier", 1), Map.of("tier", "X-Tier"));
        TestExchange exchange = TestExchange.of("GET", "/", "X-Team: forged", "x-tier: 9", "X-Other: 1");
        server.onRequest(exchange);
        route.onRequest(exchange);
        assertThat(exchange.value(Key.METADATA))
                .isEqualTo(Metadata.of(Map.of("team", "inner", "env", "test", "tier", 1)));
        assertThat(exchange.request().lines())
                .containsExactlyInAnyOrder("X-Other: 1", "X-Team: inner", "X-Env: test", "X-Tier: 1");
    }

    /** What an exchange gets is the instance that the one before got. */
    @Test
    void whatGoesTogetherIsMadeOnce() throws Exception {
        Plugin server = plugin(Map.of("env", "test"), Map.of());
        Plugin route = plugin(Map.of("team", "a"), Map.of());
        List<Metadata> seen = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            TestExchange exchange = TestExchange.of("GET", "/");
            server.onRequest(exchange);
            route.onRequest(exchange);
            seen.add(exchange.value(Key.METADATA));
        }
        assertThat(seen.getFirst()).isSameAs(seen.getLast()).isEqualTo(Metadata.of(Map.of("env", "test", "team", "a")));
    }

    /** The outer place asked for a field; what the inner one says can't stand in one. */
    @Test
    void noOuterValueGoesOnWhereTheInnerOneCanNot() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        plugin(Map.of("team", "outer"), Map.of("team", "X-Team")).onRequest(exchange);
        plugin(Map.of("team", "\u4e2d"), Map.of()).onRequest(exchange);
        assertThat(exchange.request().lines()).isEmpty();
    }

    @Test
    void refusesWhatItCanNotDo() {
        assertThatThrownBy(() -> plugin(Map.of("a", "1"), Map.of("b", "X-B")))
                .isInstanceOf(SettingsException.class)
                .hasMessage("/fields/b: \"X-B\" (expected: a field for one of the keys in \"values\")");
        assertThatThrownBy(() -> plugin(Map.of("a", "1\n"), Map.of("a", "X-A")))
                .hasMessageContaining("expected: a field for a value that can stand in one");
        assertThatThrownBy(() -> plugin(Map.of("a", "1"), Map.of("a", "X A")))
                .hasMessageContaining("expected: a field name");
        assertThatThrownBy(() -> plugin(Map.of("a", "1"), Map.of("a", "Content-Length")))
                .hasMessageContaining("is Sigma's own");
        assertThatThrownBy(() -> plugin(Map.of("a", List.of()), Map.of())).hasMessageContaining("a text, a number");
        assertThatThrownBy(() -> plugin(Map.of("a", "x".repeat(500), "b", "x".repeat(513)), Map.of()))
                .hasMessage("/values: 1028 bytes of JSON (expected: <= 1024 bytes of JSON)");
    }

    private String json(ScriptedUpstream node, String log) {
        return """
                {
                  "proxy-server": { "http": { "id": "web",
                    "plugin": { "metadata": { "values": { "env": "test" } } } } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [
                    { "id": "orders", "path": "/orders/*", "proxy-pass-id": "p",
                      "plugin": {
                        "metadata": { "values": { "team": "orders", "tier": 1, "beta": true },
                                      "fields": { "team": "X-Team", "beta": "X-Beta" } },
                        "headers": { "when": "route.metadata['tier'] == '1' && route.metadata['env'] == 'test'",
                                     "response": { "set-template": { "X-Of": "{metadata:team}" } } } } },
                    { "id": "rest", "path": "/*", "proxy-pass-id": "p" }
                  ] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:%d"] }],
                  "plugins": { "log-config": { "format": "json", "file": "%s" } }
                }
                """.formatted(node.port(), log);
    }

    @Test
    void nodesPluginsAndTheLogAreTold() throws Exception {
        Path log = folder.resolve("access.log");
        try (ScriptedUpstream node = ScriptedUpstream.start(
                request -> Answer.ok(request.headers().values("X-Team") + " " + request.header("X-Beta")))) {
            try (TextGateway gateway = TextGateway.start(json(node, log.toString()));
                    RawClient client = gateway.connect()) {
                var orders = client.send("GET /orders/1 HTTP/1.1\r\nHost: a\r\nX-Team: forged\r\nx-team: two\r\n\r\n")
                        .readResponse();
                assertThat(orders.bodyText()).isEqualTo("[orders] true");
                assertThat(orders.headers().first("X-Of")).isEqualTo("orders");
                var rest = client.send("GET /a HTTP/1.1\r\nHost: a\r\nX-Team: mine\r\n\r\n")
                        .readResponse();
                assertThat(rest.bodyText()).isEqualTo("[mine] null");
                assertThat(rest.headers().has("X-Of")).isFalse();
            }
        }
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            lines.add(JSON.readTree(line));
        }
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst().get("metadata"))
                .isEqualTo(JSON.readTree("{\"env\":\"test\",\"team\":\"orders\",\"tier\":1,\"beta\":true}"));
        assertThat(lines.getLast().get("metadata")).isEqualTo(JSON.readTree("{\"env\":\"test\"}"));
    }
}
