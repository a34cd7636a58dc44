package net.oooops.sigma.plugins.respond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RespondTest {
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("of the node"));

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayFixture gateway(Map<String, ?> settings) {
        return GatewayFixture.to(node)
                .route("/*", GatewayFixture.plugin("respond", settings))
                .start();
    }

    private static String line(String method) {
        return method + " /any HTTP/1.1\r\nHost: a\r\n\r\n";
    }

    @Test
    void everyRequestGetsTheSame() throws IOException {
        Map<String, Object> settings = Map.of(
                "status",
                503,
                "body",
                "Zurück um 12.",
                "headers",
                Map.of("Retry-After", "60", "X-A", List.of("1", "2")));
        try (GatewayFixture gateway = gateway(settings);
                RawClient client = gateway.connect()) {
            for (String method : List.of("GET", "DELETE", "HEAD", "PURGE")) {
                RawResponse response = client.send(line(method)).readResponse(method);
                assertThat(response.status()).isEqualTo(503);
                assertThat(response.headers().values("Content-Type")).containsExactly("text/plain; charset=utf-8");
                assertThat(response.headers().values("Content-Length")).containsExactly("14");
                assertThat(response.headers().values("Retry-After")).containsExactly("60");
                assertThat(response.headers().values("X-A")).containsExactly("1", "2");
                assertThat(response.body()).hasSize(method.equals("HEAD") ? 0 : 14);
            }
            assertThat(node.requestCount()).isZero();
        }
    }

    /** The connection is good for the next one, whose beginning must not be taken for the rest of this body. */
    @Test
    void aBodyThatNobodyReadsDoesNoHarm() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("body", "ok"));
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
                assertThat(client.readResponse().bodyText()).isEqualTo("ok");
            }
        }
    }

    @Test
    void jsonIsWrittenAsJson() throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("a\"\\\n\u0001", Arrays.asList(1, 2.5, true, null, "ä€", List.of(), Map.of()));
        json.put("b", Map.of("c", -1L));
        try (GatewayFixture gateway = gateway(Map.of("json", json));
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(line("GET")).readResponse();
            assertThat(response.headers().values("Content-Type")).containsExactly("application/json");
            assertThat(new String(response.body(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"a\\\"\\\\\\u000a\\u0001\":[1,2.5,true,null,\"ä€\",[],{}],\"b\":{\"c\":-1}}\n");
        }
    }

    @Test
    void withoutABodyThereIsNoType() throws IOException {
        for (int status : List.of(200, 204, 304)) {
            try (GatewayFixture gateway = gateway(Map.of("status", status));
                    RawClient client = gateway.connect()) {
                RawResponse response = client.send(line("GET")).readResponse();
                assertThat(response.status()).isEqualTo(status);
                assertThat(response.body()).isEmpty();
                assertThat(response.headers().has("Content-Type")).isFalse();
            }
        }
    }

    @Test
    void problemsNameTheirPlace() {
        assertProblem(Map.of("status", 199), "/status", "200 to 599");
        assertProblem(Map.of("status", 204, "body", "x"), "/status", "204 has none");
        assertProblem(Map.of("status", 304, "json", List.of()), "/status", "304 has none");
        assertProblem(Map.of("body", "x", "json", 1), "/json", "either body or json");
        assertProblem(Map.of("body", "ä".repeat(600_000)), "/body", "1 MiB");
        assertProblem(Map.of("content-type", "a\r\nb"), "/content-type", "a field value");
        assertProblem(Map.of("headers", Map.of("X A", "1")), "/headers/X A", "a field name");
        assertProblem(Map.of("headers", Map.of("Content-Length", "1")), "/headers/Content-Length", "Sigma's own");
        assertProblem(Map.of("headers", Map.of("content-type", "a/b")), "/headers/content-type", "content-type beside");
        assertProblem(Map.of("headers", Map.of("X-A", List.of("1", "a\nb"))), "/headers/X-A/1", "a field value");
    }

    private static void assertProblem(Map<String, ?> settings, String pointer, String message) {
        assertThatThrownBy(() -> new RespondFactory().create(Settings.of(settings), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer))
                .hasMessageContaining(message);
    }
}
