package net.oooops.sigma.plugins.csrf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CsrfTest {
    private static boolean passes(Map<String, ?> settings, String method, String target, String... fields)
            throws Exception {
        return PluginHarness.of(new CsrfFactory(), settings).request(TestExchange.of(method, target, fields))
                == Outcome.CONTINUE;
    }

    /** The cases of Go's CrossOriginProtection, and Referer where there is no Origin. */
    @ParameterizedTest
    @CsvSource({
        "Sec-Fetch-Site: same-origin, true",
        "Sec-Fetch-Site: none, true",
        "Sec-Fetch-Site: same-site, false",
        "Sec-Fetch-Site: cross-site, false",
        "Sec-Fetch-Site: Same-Origin, false",
        "Sec-Fetch-Site: , false",
        "X-Other: 1, true",
        "Origin: https://example.com, true",
        "Origin: https://EXAMPLE.com, true",
        "Origin: http://example.com, true",
        "Origin: https://example.com:443, true",
        "Origin: https://example.com:8443, false",
        "Origin: https://attacker.example, false",
        "Origin: https://example.com.attacker.example, false",
        "Origin: https://notexample.com, false",
        "Origin: https://example.com@attacker.example, false",
        "Origin: https://attacker.example/example.com, false",
        "Origin: https://attacker.example#example.com, false",
        "Origin: https://example.com\\.attacker.example, false",
        "Origin: https://example.com/, false",
        "Origin: null, false",
        "Origin: , false",
        "Origin: https://, false",
        "Origin: ftp://example.com, false",
        "Referer: https://example.com/form?x, true",
        "Referer: https://attacker.example/https://example.com/, false",
        "Referer: https://example.com@attacker.example/, false",
        "Referer: about:blank, false"
    })
    void unsafeRequestsComeFromTheirOwnOrigin(String field, boolean expected) throws Exception {
        for (String method : List.of("POST", "PUT", "PATCH", "DELETE", "PURGE", "CONNECT")) {
            String target = "/";
            assertThat(passes(Map.of(), method, target, "Host: example.com", field))
                    .as("%s %s", method, field)
                    .isEqualTo(expected);
        }
        for (String method : List.of("GET", "HEAD", "OPTIONS")) {
            assertThat(passes(Map.of(), method, "/", "Host: example.com", field))
                    .isTrue();
        }
        assertThat(passes(Map.of(), "get", "/", "Host: example.com", "Sec-Fetch-Site: cross-site"))
                .as("methods have letter case")
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"POST, GET, false", "GET, POST, false", "GET, HEAD, true"})
    void aMethodThatAPluginHasChangedIsJudgedByBoth(String sent, String given, boolean expected) throws Exception {
        TestExchange exchange = TestExchange.of(sent, "/", "Host: example.com", "Sec-Fetch-Site: cross-site");
        exchange.request().method(given);
        assertThat(PluginHarness.of(new CsrfFactory(), Map.of()).request(exchange) == Outcome.CONTINUE)
                .isEqualTo(expected);
    }

    @Test
    void whatTheBrowserSaysItselfIsStronger() throws Exception {
        String host = "Host: example.com";
        assertThat(passes(Map.of(), "POST", "/", host, "Sec-Fetch-Site: same-origin", "Origin: https://x.example"))
                .isTrue();
        assertThat(passes(Map.of(), "POST", "/", host, "Sec-Fetch-Site: cross-site", "Origin: https://example.com"))
                .isFalse();
        assertThat(passes(Map.of(), "POST", "/", host, "Origin: https://x.example", "Referer: https://example.com/"))
                .isFalse();
    }

    @Test
    void whatIsThereTwiceIsNotBelieved() throws Exception {
        String host = "Host: example.com";
        assertThat(passes(Map.of(), "POST", "/", host, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none"))
                .isFalse();
        assertThat(passes(Map.of(), "POST", "/", host, "Origin: https://example.com", "Origin: https://example.com"))
                .isFalse();
    }

    @Test
    void withoutAHostNothingIsOfTheSame() throws Exception {
        assertThat(passes(Map.of(), "POST", "/", "Origin: https://example.com")).isFalse();
    }

    @Test
    void trustedOriginsAndTheSameSiteMayToo() throws Exception {
        Map<String, Object> trusting = Map.of("trusted-origins", List.of("https://app.example.com"));
        String host = "Host: example.com";
        String origin = "Origin: https://app.example.com";
        assertThat(passes(trusting, "POST", "/", host, origin)).isTrue();
        assertThat(passes(trusting, "POST", "/", host, origin, "Sec-Fetch-Site: cross-site"))
                .isTrue();
        assertThat(passes(trusting, "POST", "/", host, origin + ":8443")).isFalse();
        assertThat(passes(trusting, "POST", "/", host, "Origin: http://app.example.com"))
                .isFalse();
        assertThat(passes(Map.of("same-site", true), "POST", "/", host, "Sec-Fetch-Site: same-site"))
                .isTrue();
        assertThat(passes(Map.of("same-site", true), "POST", "/", host, "Sec-Fetch-Site: cross-site"))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "/hook, true",
        "/hook/a, false",
        "/hooks, false",
        "/webhooks/a, true",
        "/webhooks/, true",
        "/webhooks, false",
        "/webhooks/..;/admin, false",
        "/hook;x, false",
        "/Hook, false"
    })
    void somePathsAreLeftAlone(String path, boolean expected) throws Exception {
        Map<String, Object> settings = Map.of("except", List.of("/hook", "/webhooks/*"));
        assertThat(passes(settings, "POST", path, "Host: a", "Sec-Fetch-Site: cross-site"))
                .isEqualTo(expected);
    }

    @Test
    void aHandshakeIsNoSafeGet() throws Exception {
        String[] handshake = {"Host: a", "Upgrade: websocket", "Origin: https://x.example"};
        assertThat(passes(Map.of(), "GET", "/chat", handshake)).isFalse();
        assertThat(passes(Map.of("websocket", false), "GET", "/chat", handshake))
                .isTrue();
        assertThat(passes(Map.of(), "GET", "/chat", "Host: a", "Upgrade: websocket", "Origin: https://a"))
                .isTrue();
    }

    @Test
    void whatIsRefusedReachesNoNode() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway =
                        GatewayFixture.to(node).plugin("csrf", Map.of()).start();
                RawClient client = gateway.connect()) {
            String head = "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\n";
            RawResponse refused =
                    client.send(head + "Sec-Fetch-Site: cross-site\r\n\r\nab").readResponse();
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.headers().values("Vary")).containsExactly("Sec-Fetch-Site, Origin, Referer");
            assertThat(node.requestCount()).isZero();
            assertThat(client.send(head + "Origin: http://a.example\r\n\r\nab")
                            .readResponse()
                            .status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"*", "null", "example.com", "https://a/", "https://A", "https://a:443", "http://a:80", "ws://a"})
    void refusesOriginsThatNoBrowserSends(String origin) {
        assertProblem(Map.of("trusted-origins", List.of("https://a", origin)), "/trusted-origins/1");
    }

    @Test
    void refusesPathsThatAreNone() {
        for (String path : List.of("a", "/a*", "/*/b", "/a;b", "/a b", "")) {
            assertProblem(Map.of("except", List.of(path)), "/except/0");
        }
    }

    private static void assertProblem(Map<String, ?> settings, String pointer) {
        assertThatThrownBy(() -> new CsrfFactory().create(Settings.of(settings), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer));
    }
}
