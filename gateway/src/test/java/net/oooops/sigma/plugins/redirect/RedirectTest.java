package net.oooops.sigma.plugins.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectTest {
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayFixture gateway(String route, Map<String, ?> settings) {
        return GatewayFixture.to(node)
                .route(route, GatewayFixture.plugin("redirect", settings))
                .start();
    }

    private static RawResponse ask(GatewayFixture gateway, String target) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send("GET " + target + " HTTP/1.1\r\nHost: shop.example:8080\r\n\r\n")
                    .readResponse();
        }
    }

    private static String location(RawResponse response) {
        assertThat(response.status()).isEqualTo(302);
        assertThat(response.headers().values("Location")).hasSize(1);
        return response.headers().values("Location").getFirst();
    }

    @ParameterizedTest
    @CsvSource({
        "/*, https://www.example.com$path$query, /a/b?c=d&e=%20f, https://www.example.com/a/b?c=d&e=%20f",
        "/*, https://www.example.com$path$query, /, https://www.example.com/",
        "/*, https://www.example.com$path?$query, /a, https://www.example.com/a",
        "/*, https://www.example.com$path?from=old$query, /a?b=c, https://www.example.com/a?from=old&b=c",
        "/*, https://www.example.com$path?from=old$query, /a, https://www.example.com/a?from=old",
        "/*, https://www.example.com/$path, /a, https://www.example.com/a",
        "/*, https://www.$host:8443/x$path, /a, https://www.shop.example:8443/x/a",
        "/*, $scheme://$authority/x$path, /a, http://shop.example:8080/x/a",
        "/*, https://[2001:db8::1]:8443, /a, https://[2001:db8::1]:8443",
        "/*, /new$path, /%C3%A4/b, /new/%C3%A4/b",
        "/*, $path/, /a, /a/",
        "/*, $path/, /a/, /a/",
        "/users/:id/*, /u/:id/profile$query, /users/a%2Fb/x?y, /u/a%2Fb/profile?y",
        "/users/:id/*, /u?id=:id&x=1, /users/1&admin=true+x/, /u?id=1%26admin%3Dtrue%2Bx&x=1",
        "/*, /a#part, /b, /a#part",
        "/*, /%24%3Ax, /b, /%24%3Ax"
    })
    void goesWhereTheTargetSays(String route, String to, String asked, String location) throws IOException {
        try (GatewayFixture gateway = gateway(route, Map.of("to", to))) {
            assertThat(location(ask(gateway, asked))).isEqualTo(location);
            assertThat(node.requestCount()).isZero();
        }
    }

    /** What a browser would make of it has the host of the gateway, whatever the path is. */
    @ParameterizedTest
    @CsvSource({
        "https://www.example.com$request_uri, $path$query in the place of $request_uri",
        "https://www.example.com{uri}, $path$query in the place of {uri}",
        "https://$http_host/a, $host in the place of $http_host",
        "https://a.example$uri, $path in the place of $uri",
        "/a$is_args$args, $query in the place of $is_args$args",
        "/a?{query}, $query in the place of ?{query}"
    })
    void whatOthersCallAValueIsToldByItsName(String to, String expected) {
        assertProblem(Map.of("to", to), "/to", expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//evil.example",
                "///evil.example/",
                "/.//evil.example",
                "/x/..//evil.example",
                "/%2Fevil.example",
                "/%2F%2Fevil.example",
                "/%5Cevil.example",
                "/https:/evil.example",
                "/https://evil.example",
                "/@evil.example",
                "/.evil.example",
                "/;//evil.example",
                "/%0D%0AX-Evil:%20yes",
                "/a%0d%0aLocation:%20https://evil.example/",
                "/?//evil.example",
                "/?x=\\evil.example"
            })
    void noPathLeadsToAnotherHost(String asked) throws IOException {
        List<Map<String, String>> all = List.of(
                Map.of("to", "$path$query"),
                Map.of("to", "/$path$query"),
                Map.of("to", "$path/more"),
                Map.of("to", "/$1", "regexp", "^/(.*)$"),
                Map.of("to", "/$1$query", "regexp", "^.(.*)$"),
                Map.of("to", "/$1/$1", "regexp", "(/?)$"));
        URI base = URI.create("http://shop.example/");
        for (Map<String, String> settings : all) {
            try (GatewayFixture gateway = gateway("/*", settings)) {
                RawResponse response = ask(gateway, asked);
                assertThat(response.headers().has("X-Evil")).isFalse();
                if (response.status() == 400) {
                    continue;
                }
                String location = location(response);
                assertThat(location).startsWith("/").doesNotStartWith("//").doesNotStartWith("/\\");
                String path = location.contains("?") ? location.substring(0, location.indexOf('?')) : location;
                assertThat(base.resolve(path).getHost()).isEqualTo("shop.example");
            }
        }
        for (String to : List.of("https://www.example.com$path", "https://www.example.com$path$query")) {
            try (GatewayFixture gateway = gateway("/*", Map.of("to", to))) {
                RawResponse response = ask(gateway, asked);
                if (response.status() != 400) {
                    assertThat(location(response)).startsWith("https://www.example.com/");
                }
            }
        }
    }

    @Test
    void onlyWhatTheRegexpFindsIsRedirected() throws IOException {
        Map<String, Object> settings =
                Map.of("to", "https://blog.example/$2?year=$1", "regexp", "^/blog/([0-9]+)/(.*)$", "status", 308);
        try (GatewayFixture gateway = gateway("/*", settings)) {
            assertThat(ask(gateway, "/blog/x/y").bodyText()).isEqualTo("yes");
            RawResponse response = ask(gateway, "/blog/2024/a/b");
            assertThat(response.status()).isEqualTo(308);
            assertThat(response.headers().values("Location")).containsExactly("https://blog.example/a/b?year=2024");
        }
        try (GatewayFixture gateway = gateway("/*", Map.of("to", "/a$1b$2c", "regexp", "/(x)?(y)?$"))) {
            assertThat(location(ask(gateway, "/y"))).isEqualTo("/abyc");
        }
    }

    @Test
    void aRegexpThatNeverEndsIsStopped() throws IOException {
        try (GatewayFixture gateway = gateway("/*", Map.of("to", "/a", "regexp", "^/.*.*.*.*.*b$"))) {
            assertThat(ask(gateway, "/" + "a".repeat(200) + "!").status()).isEqualTo(400);
            assertThat(ask(gateway, "/c").status()).isEqualTo(200);
        }
    }

    @Test
    void aConstantIsMadeOnce() throws Exception {
        PluginHarness plugin = PluginHarness.of(new RedirectFactory(), Map.of("to", "https://a.example/b?c=d"));
        Outcome first = plugin.request(TestExchange.of("GET", "/x"));
        assertThat(plugin.request(TestExchange.of("GET", "/y"))).isSameAs(first);
    }

    @Test
    void withoutAHostThereIsNoneToGoTo() throws Exception {
        PluginHarness plugin = PluginHarness.of(new RedirectFactory(), Map.of("to", "https://$host/"));
        TestExchange exchange = TestExchange.of("GET", "/x");
        plugin.request(exchange);
        assertThat(exchange.response().status()).isEqualTo(400);
    }

    /** On a server nobody knows which paths pass. That is no error of the gateway's. */
    @ParameterizedTest
    @CsvSource({
        "/x/:b, /x/",
        "/x/:b/y, /x/y",
        "/:b, /",
        "/:b/:b, /",
        "/:b:b/y, /y",
        "https://a.example/:b?c=:b, https://a.example/?c="
    })
    void aParameterThatIsNotThereIsEmpty(String to, String location) throws IOException {
        try (GatewayFixture gateway = GatewayFixture.to(node)
                .plugin("redirect", Map.of("to", to))
                .route("/:a")
                .start()) {
            assertThat(location(ask(gateway, "/1"))).isEqualTo(location);
            assertThat(location(ask(gateway, "/1/2"))).isEqualTo(location);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//evil.example",
                "///a",
                "a/b",
                "ftp://a/",
                "javascript:alert(1)",
                "$1/x",
                "https:///a",
                "https://$1/",
                "https://a$1/",
                "https://:id/",
                "https://a.:id/",
                "https://$path",
                "https://a:b/",
                "https://user@a/",
                "https://$authority:80/",
                "https://a b/",
                "/a b",
                "/a\\b",
                "/a\r\nb",
                "/ä",
                "/a//b",
                "/%zz",
                "/$2",
                "/$x",
                "/$",
                "/a$query&x",
                "/a#:id"
            })
    void refusesTargetsThatMayLeadAstray(String to) {
        Settings settings = Settings.of(Map.of("to", to, "regexp", "^/(.*)$"));
        assertThatThrownBy(() -> new RedirectFactory().create(settings, new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/to"));
    }

    @Test
    void refusesWhatItCanNotDo() {
        assertProblem(Map.of("to", "/a", "status", 304), "/status", "301, 302, 303, 307 or 308");
        assertProblem(Map.of("to", "/a", "regexp", "("), "/regexp", "a regular expression");
        assertProblem(Map.of("to", "/$1"), "/to", "a regexp beside it");
    }

    private static void assertProblem(Map<String, ?> settings, String pointer, String message) {
        assertThatThrownBy(() -> new RedirectFactory().create(Settings.of(settings), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer))
                .hasMessageContaining(message);
    }
}
