package net.oooops.sigma.plugins.headers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.api.Tls;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {
    private static Map<String, Object> setting(String template) {
        return Map.of("request", Map.of("set-template", Map.of("X-A", template)));
    }

    private static TestExchange exchange() {
        TestExchange exchange = TestExchange.of("PUT", "/a%20b?c=d", "Host: shop.example", "X-B: one", "X-A: mine")
                .withAddresses("192.0.2.1", "10.0.0.1")
                .withParameter("id", "7")
                .withConsumer(Consumer.of("ada"))
                .withTls(new Tls("TLSv1.3", "h2", "shop.example", List.of()));
        exchange.value(Key.REQUEST_ID, "r-1");
        exchange.value(Key.METADATA, Metadata.of(Map.of("team", "orders")));
        return exchange;
    }

    @ParameterizedTest
    @CsvSource({
        "{client-address} by {peer-address}, 192.0.2.1 by 10.0.0.1",
        "{method} {scheme}://{host}{path}?{query}, PUT https://shop.example/a%20b?c=d",
        "{router}/{route}/{upstream}, test-router/test-route/test-upstream",
        "{consumer}/{request-id}, ada/r-1",
        "{tls-version} {tls-host}, TLSv1.3 shop.example",
        "{header:x-b}{param:id}, one7",
        "{metadata:team}, orders",
        "{header:X-A}+, mine+",
        "{{{param:id}}}, {7}",
        "constant, constant",
        "${path}, $/a%20b"
    })
    void namesStandForWhatTheRequestHas(String template, String expected) throws Exception {
        TestExchange exchange = exchange();
        PluginHarness.of(new HeadersFactory(), setting(template)).request(exchange);
        assertThat(exchange.request().lines()).contains("X-A: " + expected).doesNotContain("X-A: mine");
    }

    /** What a client says under that name is gone as well: a node takes it for Sigma's word. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{consumer}",
                "{request-id}",
                "{tls-version}",
                "{tls-host}",
                "{param:id}",
                "{query}",
                "{header:X-C}",
                "a {param:id}"
            })
    void withoutItThereIsNoField(String template) throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/", "Host: a", "X-A: mine");
        PluginHarness.of(new HeadersFactory(), setting(template)).request(exchange);
        assertThat(exchange.request().lines()).containsExactly("Host: a");
    }

    @Test
    void whatCanNotStandInAFieldIsLeftOut() throws Exception {
        for (String value : List.of("a\r\nX-Evil: 1", "a\u0000", "ä€", " a", "a".repeat(9000))) {
            TestExchange exchange = TestExchange.of("GET", "/", "X-A: mine").withParameter("id", value);
            PluginHarness.of(new HeadersFactory(), setting("{param:id}")).request(exchange);
            assertThat(exchange.request().lines()).isEmpty();
        }
    }

    @Test
    void nodesAndClientsGetIt() throws IOException {
        Map<String, Object> settings = Map.of(
                "request", Map.of("set-template", Map.of("X-Shop", "{param:shop}", "X-Tls", "{tls-version}")),
                "response", Map.of("set-template", Map.of("X-Seen", "{header:User-Agent} at {path}")));
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .route("/shops/:shop", GatewayFixture.plugin("headers", settings))
                        .start();
                RawClient client = gateway.connect()) {
            String head = "GET /shops/a%2Fb%0D%0AX HTTP/1.1\r\nHost: a\r\nX-Shop: root\r\nX-Tls: root\r\n"
                    + "X_Shop: evil\r\nx_tls: evil\r\n";
            for (String agent : List.of("curl/8", "other")) {
                client.send(head + "User-Agent: " + agent + "\r\n\r\n");
                assertThat(client.readResponse().headers().values("X-Seen"))
                        .containsExactly(agent + " at /shops/a%2Fb%0D%0AX");
                ReceivedRequest seen = node.requests().getLast();
                assertThat(seen.headers().values("X-Shop")).containsExactly("a%2Fb%0D%0AX");
                assertThat(seen.header("X-Tls")).isNull();
                assertThat(seen.head()).doesNotContain("evil");
            }
        }
    }

    @Test
    void withoutTemplatesBracesAreBraces() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        PluginHarness.of(new HeadersFactory(), Map.of("request", Map.of("set", Map.of("X-A", "{path}"))))
                .request(exchange);
        assertThat(exchange.request().lines()).containsExactly("X-A: {path}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{path",
                "}",
                "{}",
                "{Path}",
                "{header:}",
                "{header:a b}",
                "{param:}",
                "{other:a}",
                "a\n{path}"
            })
    void problemsNameTheirPlace(String template) {
        assertThatThrownBy(() -> new HeadersFactory().create(Settings.of(setting(template)), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/request/set-template/X-A"));
    }
}
