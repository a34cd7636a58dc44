package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.VertxOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A reload takes conditions and modes up; plugins hand over what they keep, whatever stands in their place before and after. */
class PlacementReloadTest {
    private final List<String> events = new CopyOnWriteArrayList<>();

    /** Adds a field to answers, and tells of what becomes of it. */
    private final class Noted implements Plugin {
        private final int is;

        private Noted(int is) {
            this.is = is;
        }

        @Override
        public Needs needs() {
            return Needs.RESPONSE;
        }

        @Override
        public Outcome onResponse(Exchange exchange) {
            exchange.response().set(Field.of("X-Noted", String.valueOf(is)));
            return Outcome.CONTINUE;
        }

        @Override
        public void takeOver(Plugin before) {
            events.add(is + " takes over from " + ((Noted) before).is);
        }

        @Override
        public void start() {
            events.add(is + " starts");
        }

        @Override
        public void close() {
            events.add(is + " closes");
        }
    }

    private Plugin make(String name, @Nullable Object settings) {
        Placement placement = Placement.of(settings);
        Map<?, ?> own = (Map<?, ?>) Objects.requireNonNull(placement.settings());
        Noted made = new Noted((Integer) Objects.requireNonNull(own.get("is")));
        return placement.isSaid() ? placement.place(name, made, made.needs()) : made;
    }

    private static SigmaConfig read(int node, String settings) {
        String json = """
                {
                  "proxy-server": { "http": [{ "id": "s", "host": "127.0.0.1", "port": 0 }] },
                  "router": [{ "id": "r", "proxy-server-id": "s", "plugin": { "noted": %s },
                    "route": [{ "id": "a", "path": "/*", "proxy-pass-id": "p" }] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:%d"] }]
                }
                """.formatted(settings, node);
        String schema = "{\"type\": \"object\", \"properties\": {\"is\": {\"type\": \"integer\"}}}";
        ConfigResult result = new ConfigReader(Map.of("noted", schema))
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        return ((ConfigResult.Valid) result).config();
    }

    private @Nullable String noted(Gateway gateway, String path) throws Exception {
        try (RawClient client = RawClient.connect(gateway.addresses().getFirst().getPort())) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n")
                    .readResponse()
                    .header("X-Noted");
        }
    }

    @Test
    void eachTakesOverFromTheOneBeforeIt() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"))) {
            SigmaConfig first = read(node.port(), "{ \"is\": 1, \"when\": \"request.path == '/a'\" }");
            Gateway gateway = Gateway.start(SnapshotCompiler.compile(first, this::make), 1, new VertxOptions());
            try {
                assertThat(noted(gateway, "/a")).isEqualTo("1");
                assertThat(noted(gateway, "/b")).isNull();

                reload(gateway, node, "{ \"is\": 1, \"when\": \"request.path == '/a'\" }");
                assertThat(events).containsExactly("1 starts");

                reload(gateway, node, "{ \"is\": 2, \"when\": \"request.path == '/b'\", \"mode\": \"enforce\" }");
                assertThat(noted(gateway, "/a")).isNull();
                assertThat(noted(gateway, "/b")).isEqualTo("2");

                reload(gateway, node, "{ \"is\": 3, \"when\": \"request.path == '/b'\", \"mode\": \"shadow\" }");
                assertThat(noted(gateway, "/b")).isNull();

                reload(gateway, node, "{ \"is\": 4 }");
                assertThat(noted(gateway, "/a")).isEqualTo("4");
            } finally {
                gateway.stop(Duration.ofSeconds(5));
            }
        }
        Await.until("closed", () -> events.contains("4 closes"));
        assertThat(events)
                .containsSubsequence(
                        "1 starts",
                        "2 takes over from 1",
                        "2 starts",
                        "3 takes over from 2",
                        "3 starts",
                        "4 takes over from 3",
                        "4 starts")
                .contains("1 closes", "2 closes", "3 closes", "4 closes")
                .hasSize(11);
    }

    private void reload(Gateway gateway, ScriptedUpstream node, String settings) throws Exception {
        SigmaConfig next = read(node.port(), settings);
        gateway.reload(before -> new Gateway.Next(SnapshotCompiler.compile(next, this::make, before)));
    }
}
