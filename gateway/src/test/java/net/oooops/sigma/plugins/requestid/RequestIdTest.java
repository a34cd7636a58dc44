package net.oooops.sigma.plugins.requestid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdTest {
    private static final FieldName ID = FieldName.of("X-Request-Id");

    private static String id(Map<String, ?> settings, String peer, String... fields) throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/", fields).withAddresses("192.0.2.9", peer);
        PluginHarness plugin = PluginHarness.of(new RequestIdFactory(), settings);
        plugin.request(exchange);
        plugin.response(exchange, 200, "X-Request-Id: of-the-node");
        assertThat(exchange.request().values(ID)).hasSize(1);
        assertThat(exchange.request().names()).hasSize(1);
        String id = exchange.request().values(ID).getFirst();
        assertThat(exchange.response().values(ID)).containsExactly(id);
        assertThat(exchange.value(Key.REQUEST_ID)).isEqualTo(id);
        return id;
    }

    private static boolean isNew(String id) {
        return UUID.fromString(id).version() == 7;
    }

    @Test
    void nodeAndClientGetTheSame() throws IOException {
        try (ScriptedUpstream node =
                        ScriptedUpstream.start(request -> Answer.ok(String.valueOf(request.header("X-Request-Id")))
                                .header("X-Request-Id", "of-the-node"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .plugin("request-id", Map.of())
                        .route("/found")
                        .start();
                RawClient client = gateway.connect()) {
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < 3; i++) {
                RawResponse response = client.send("GET /found HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n")
                        .readResponse();
                String id = response.bodyText();
                assertThat(isNew(id)).isTrue();
                assertThat(UUID.fromString(id).variant()).isEqualTo(2);
                assertThat(response.headers().values("X-Request-Id")).containsExactly(id);
                assertThat(seen.add(id)).isTrue();
            }
            RawResponse notFound =
                    client.send("GET /no HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            assertThat(notFound.status()).isEqualTo(404);
            assertThat(isNew(notFound.headers().values("X-Request-Id").getFirst()))
                    .isTrue();
        }
    }

    @Test
    void noFieldThatReadsTheSameIsBesideIt() throws Exception {
        assertThat(isNew(id(Map.of(), "10.1.2.3", "X_Request_Id: evil", "x_request-id: evil")))
                .isTrue();
        Map<String, Object> all = Map.of("trust", "*");
        assertThat(id(all, "10.1.2.3", "X_Request-Id: evil", "X-Request-Id: abc-1"))
                .isEqualTo("abc-1");
    }

    @Test
    void anIdIsKeptFromWhomItIsTrusted() throws Exception {
        String sent = "X-Request-Id: abc-1";
        Map<String, Object> some = Map.of("trust", List.of("10.0.0.0/8", "2001:db8::/32"));
        assertThat(id(some, "10.1.2.3", sent)).isEqualTo("abc-1");
        assertThat(id(some, "2001:db8::1", sent)).isEqualTo("abc-1");
        assertThat(isNew(id(some, "192.0.2.1", sent))).isTrue();
        assertThat(isNew(id(Map.of(), "10.1.2.3", sent))).isTrue();
        assertThat(isNew(id(Map.of("trust", List.of()), "10.1.2.3", sent))).isTrue();
        for (String peer : List.of("192.0.2.1", "2001:db9::1")) {
            assertThat(id(Map.of("trust", "*"), peer, sent)).isEqualTo("abc-1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a\"b", "a,b", "a;b", "ä", "$(id)", "<b>", "{}"})
    void whatALogWouldStumbleOverIsReplaced(String sent) throws Exception {
        assertThat(isNew(id(Map.of("trust", "*"), "10.0.0.1", "X-Request-Id: " + sent)))
                .isTrue();
    }

    @Test
    void tooLongOrTwiceIsReplaced() throws Exception {
        Map<String, Object> all = Map.of("trust", "*");
        assertThat(id(all, "10.0.0.1", "X-Request-Id: " + "a".repeat(128))).hasSize(128);
        assertThat(isNew(id(all, "10.0.0.1", "X-Request-Id: " + "a".repeat(129))))
                .isTrue();
        assertThat(isNew(id(all, "10.0.0.1", "X-Request-Id: a", "x-request-id: b")))
                .isTrue();
    }

    @Test
    void responsesNeedNotHaveIt() {
        PluginHarness plugin = PluginHarness.of(new RequestIdFactory(), Map.of("response", false));
        assertThat(plugin.plugin().needs().response()).isFalse();
    }

    @Test
    void problemsNameTheirPlace() {
        assertProblem(Map.of("field", "a b"), "/field");
        assertProblem(Map.of("field", "Host"), "/field");
        assertProblem(Map.of("trust", "all"), "/trust");
        assertProblem(Map.of("trust", List.of("10.0.0.0/8", "x")), "/trust/1");
    }

    private static void assertProblem(Map<String, ?> settings, String pointer) {
        assertThatThrownBy(() -> new RequestIdFactory().create(Settings.of(settings), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer));
    }
}
