package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What may be written for {@code oidc}, and where. */
class OidcSettingsTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(OidcSettingsTest.class.getClassLoader());

    private static Map<String, Object> plain() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("issuer", "https://id.example.com");
        settings.put("proxy-pass-id", "id");
        settings.put("client-id", "shop");
        settings.put("callback-url", "https://shop.example.com/oidc/callback");
        settings.put("session-secret", "of-an-example-of-32-characters-at-least");
        return settings;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            issuer                  | http://id.example.com              | /issuer                  | a URL of https
            issuer                  | https://id.example.com/?a=b        | /issuer                  | without a query
            issuer                  | https://a@id.example.com/          | /issuer                  | a URL of https
            callback-url            | http://shop.example.com/callback   | /callback-url            | a URL of https
            callback-url            | https://shop.example.com/          | /callback-url            | not / alone
            callback-url            | https://shop.example.com/a?b=c     | /callback-url            | without a query
            callback-url            | https://shop.example.com/%61       | /callback-url            | letters
            callback-url            | /oidc/callback                     | /callback-url            | a URL of https
            logout-path             | /oidc/callback                     | /logout-path             | another path
            logout-path             | /                                  | /logout-path             | another path
            after-logout-url        | //evil                             | /after-logout-url        | a URL of https
            client-auth             | post                               | /client-auth             | client-secret
            session-lifetime        | 500ms                              | /session-lifetime        | 1s at least
            login-lifetime          | 2h                                 | /login-lifetime          | 60m at most
            clock-skew              | 11m                                | /clock-skew              | 10m at most
            """)
    void problemsNameTheirPlace(String key, String value, String pointer, String expected) {
        Map<String, Object> settings = plain();
        settings.put(key, value);
        assertProblem(settings, pointer, expected);
    }

    private static void assertProblem(Map<String, Object> settings, String pointer, String expected) {
        assertThatThrownBy(() -> new OidcFactory().create(Settings.of(settings), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer))
                .hasMessageContaining(expected)
                .hasMessageNotContaining("of-an-example");
    }

    @ParameterizedTest
    @CsvSource({"login-parameters,state", "login-parameters,redirect_uri", "claims,X-Email"})
    void whatSigmaSaysItselfNobodyElseSays(String key, String name) {
        Map<String, Object> settings = plain();
        settings.put(key, Map.of(name, "x"));
        assertProblem(settings, "/" + key + "/" + name, key.equals("claims") ? "X-Consumer-" : "another parameter");
    }

    @ParameterizedTest
    @CsvSource({"https://keys.example/", "https://keys.example/a", "http://keys.example"})
    void aServerIsNoMoreThanThat(String written) {
        Map<String, Object> settings = plain();
        settings.put("other-origins", List.of(Map.of("origin", written, "proxy-pass-id", "id")));
        assertProblem(settings, "/other-origins/0/origin", "");
    }

    private static String warnings(String ofRouter, String routes) {
        String json = """
                {
                  "proxy-server": { "http": { "id": "web", "port": 8080 } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "plugin": {%s}, "route": [%s] }],
                  "proxy-pass": [{ "id": "all", "upstream-id": "all" }],
                  "upstream": [{ "id": "all", "nodes": ["http://127.0.0.1:1"] }]
                }
                """.formatted(ofRouter, routes);
        ConfigResult result = new ConfigReader(CATALOG.schemas(), CATALOG::tryOut)
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        return switch (result) {
            case ConfigResult.Invalid invalid -> invalid.text("sigma.json");
            case ConfigResult.Valid valid -> valid.warnings().toString();
        };
    }

    private static String plugin(String callback) {
        return """
                "oidc": { "issuer": "https://id.example.com", "proxy-pass-id": "all", "client-id": "a",
                  "callback-url": "%s", "session-secret": "of-an-example-of-32-characters-at-least" }""".formatted(callback);
    }

    private static String route(String path, String plugin) {
        return "{ \"id\": \"r" + path.replaceAll("[/*:]", "-") + "\", \"path\": \"" + path
                + "\", \"proxy-pass-id\": \"all\", \"plugin\": {" + plugin + "} }";
    }

    /** A user who comes back from the provider and meets no plugin gets a page of the node's, or 404, for ever. */
    @ParameterizedTest
    @CsvSource({
        "/private/*,/oidc/callback,true",
        "/private/*,/private/callback,false",
        "/callback,/callback,false",
        "/callback,/callback/a,true",
        "/:any/callback,/oidc/callback,false",
        "/*,/oidc/callback,false"
    })
    void aCallbackThatLeadsElsewhereIsAWarning(String path, String callback, boolean warned) {
        String plugin = plugin("https://a.example" + callback);
        String said = "a route for the path of \"callback-url\" that has it, too";
        String onRoute = warnings("", route(path, plugin));
        assertThat(onRoute.contains(said)).as(onRoute).isEqualTo(warned);
        assertThat(warnings(plugin, route(path, ""))).isEqualTo("[]");
        // Another route may have it, too, with the same settings.
        String both = warnings("", route(path, plugin) + "," + route("/oidc/*", plugin));
        assertThat(both.contains(said)).as(both).isEqualTo(warned && !callback.startsWith("/oidc/"));
    }
}
