package net.oooops.sigma.plugins.setcookie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SetCookieTest {
    private static List<String> after(Map<String, ?> rule, String... cookies) throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        String[] fields =
                Arrays.stream(cookies).map(each -> "Set-Cookie: " + each).toArray(String[]::new);
        PluginHarness.of(new SetCookieFactory(), Map.of("rules", List.of(rule))).response(exchange, 200, fields);
        return exchange.response().lines().stream()
                .map(line -> line.substring("Set-Cookie: ".length()))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=b | a=b; Secure; HttpOnly; SameSite=Lax",
                "a=b; secure;HTTPONLY ; samesite = Lax | a=b; secure;HTTPONLY ; samesite = Lax",
                "a=b; SameSite=None; samesite=strict; Max-Age=5 | a=b; Max-Age=5; Secure; HttpOnly; SameSite=Lax",
                "a=\"x y=z\"; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/x | a=\"x y=z\"; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/x; Secure; HttpOnly; SameSite=Lax",
                "a= | a=; Secure; HttpOnly; SameSite=Lax",
                "=b | =b; Secure; HttpOnly; SameSite=Lax",
                "a=b; Secure=no; Partitioned | a=b; Secure=no; Partitioned; HttpOnly; SameSite=Lax",
                "a=b;; ; Secur | a=b;; ; Secur; Secure; HttpOnly; SameSite=Lax",
                "nameless | nameless; Secure; HttpOnly; SameSite=Lax",
                "no name; Path=/ | no name; Path=/; Secure; HttpOnly; SameSite=Lax",
                "; Path=/ | ; Path=/",
                "=; Path=/ | =; Path=/"
            })
    void flagsAreThereOnce(String cookie, String expected) throws Exception {
        assertThat(after(Map.of("secure", true, "http-only", true, "same-site", "lax"), cookie))
                .containsExactly(expected);
    }

    @Test
    void aRuleThatSaysNothingIsRefused() {
        assertThatThrownBy(() -> new SetCookieFactory()
                        .create(
                                Settings.of(Map.of("rules", List.of(Map.of("secure", true), Map.of()))),
                                new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("/rules/1");
    }

    @Test
    void namesAloneAreLeftAsTheyAre() throws Exception {
        assertThat(after(Map.of("names", List.of("a")), "a=b")).containsExactly("a=b");
    }

    @Test
    void flagsAreTakenAway() throws Exception {
        assertThat(after(Map.of("secure", false, "http-only", false), "a=b; Secure; HttpOnly; secure; Path=/", "c=d"))
                .containsExactly("a=b; Path=/", "c=d");
    }

    @ParameterizedTest
    @CsvSource({
        "/app, /",
        "/app/, /",
        "/app/x, /x",
        "/apple, /apple",
        "/app/admin/y, /root/y",
        "/app/administrator, /administrator",
        "/, /"
    })
    void pathsAreWholeSegments(String path, String expected) throws Exception {
        Map<String, Object> rule = Map.of("path", Map.of("/app", "/", "/app/admin", "/root"));
        assertThat(after(rule, "a=b; Path=" + path + "; Secure"))
                .containsExactly(
                        path.equals(expected) ? "a=b; Path=" + path + "; Secure" : "a=b; Secure; Path=" + expected);
    }

    @ParameterizedTest
    @CsvSource({
        "Domain=node.internal, Domain=example.com",
        "domain=.NODE.internal, Domain=example.com",
        "Domain=x.internal, ''",
        "Domain=other.example, Domain=kept.example",
        "Domain=, Domain=",
        "Domain=a; Domain=node.internal, Domain=example.com"
    })
    void domainsAreReplaced(String attribute, String expected) throws Exception {
        Map<String, Object> rule =
                Map.of("domain", Map.of("node.internal", "example.com", "X.internal", "", "*", "kept.example"));
        assertThat(after(rule, "a=b; " + attribute)).containsExactly(expected.isEmpty() ? "a=b" : "a=b; " + expected);
        assertThat(after(rule, "a=b")).containsExactly("a=b");
    }

    @Test
    void theFirstRuleOfACookieCounts() throws IOException {
        Map<String, Object> rules = Map.of(
                "rules",
                List.of(
                        Map.of("names", List.of("session"), "same-site", "strict"),
                        Map.of("names", List.of("ad"), "same-site", "none", "secure", true),
                        Map.of("http-only", true)));
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes")
                        .header("Set-Cookie", "ad=1")
                        .header("X-Between", "1")
                        .header("set-cookie", "session=a,b; Path=/")
                        .header("Set-Cookie", "other=2; HttpOnly")
                        .header("Set-Cookie", "Session=3"));
                GatewayFixture gateway =
                        GatewayFixture.to(node).plugin("set-cookie", rules).start();
                RawClient client = gateway.connect()) {
            for (String method : List.of("GET", "HEAD")) {
                client.send(method + " / HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.readResponse(method).headers().values("Set-Cookie"))
                        .containsExactly(
                                "ad=1; Secure; SameSite=None",
                                "session=a,b; Path=/; SameSite=Strict",
                                "other=2; HttpOnly",
                                "Session=3; HttpOnly");
            }
        }
    }

    @Test
    void problemsNameTheirPlace() {
        assertProblem(Map.of("same-site", "none"), "/rules/0/same-site");
        assertProblem(Map.of("same-site", "none", "secure", false), "/rules/0/same-site");
        assertProblem(Map.of("same-site", "Other"), "/rules/0/same-site");
        assertProblem(Map.of("names", List.of("a b")), "/rules/0/names/0");
        assertProblem(Map.of("path", Map.of("a", "/")), "/rules/0/path/a");
        assertProblem(Map.of("path", Map.of("/a", "/;x")), "/rules/0/path/~1a");
        assertProblem(Map.of("domain", Map.of("a", "b; Secure")), "/rules/0/domain/a");
        assertProblem(Map.of("domain", Map.of("a", "*")), "/rules/0/domain/a");
        assertProblem(Map.of("domain", Map.of("", "a")), "/rules/0/domain");
    }

    private static void assertProblem(Map<String, ?> rule, String pointer) {
        Settings settings = Settings.of(Map.of("rules", List.of(rule)));
        assertThatThrownBy(() -> new SetCookieFactory().create(settings, new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer));
    }
}
