package net.oooops.sigma.plugins.redirecthttps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.plugin.PluginCatalog;
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

class DegradeHttpTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(DegradeHttpTest.class.getClassLoader());

    @ParameterizedTest
    @CsvSource({
        "/firmware/a?b=c, shop.example:8443, http://shop.example/firmware/a?b=c",
        "/, [::1]:443, http://[::1]/",
        "//evil.example/, a, http://a/evil.example/"
    })
    void goesToTheSameOverHttp(String target, String host, String location) throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .allowForward(AllowForward.ALL, "127.0.0.0/8")
                        .plugin("https-degrade-http", Map.of())
                        .start();
                RawClient client = RawClient.connect(gateway.port())) {
            String request = "GET " + target + " HTTP/1.1\r\nHost: " + host
                    + "\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: ";
            RawResponse response = client.send(request + "https\r\n\r\n").readResponse();
            assertThat(response.status()).isEqualTo(307);
            assertThat(response.headers().values("Location")).containsExactly(location);
            assertThat(node.requestCount()).isZero();
            assertThat(client.send(request + "http\r\n\r\n").readResponse().status())
                    .isEqualTo(200);
        }
    }

    @Test
    void statusPortAndPathsCanBeOthers() throws Exception {
        Map<String, ?> settings = Map.of("status", 302, "port", 8080, "except", List.of("/keys/"));
        PluginHarness plugin = PluginHarness.of(new DegradeHttpFactory(), settings);
        TestExchange sent = TestExchange.of("GET", "/a", "Host: a:8443").withScheme("https");
        plugin.request(sent);
        assertThat(sent.response().status()).isEqualTo(302);
        assertThat(sent.response().lines()).containsExactly("Location: http://a:8080/a");
        assertThat(plugin.request(TestExchange.of("GET", "/keys/1", "Host: a").withScheme("https")))
                .isEqualTo(Outcome.CONTINUE);
    }

    /** What was rewritten for nodes doesn't get round what is excepted, nor does what the client wrote. */
    @Test
    void whatIsExceptedStaysByEitherPath() throws Exception {
        PluginHarness plugin = PluginHarness.of(new DegradeHttpFactory(), Map.of("except", List.of("/firmware/keys/")));
        TestExchange rewritten =
                TestExchange.of("GET", "/firmware/keys/1", "Host: a").withScheme("https");
        rewritten.request().path("/keys/1");
        assertThat(plugin.request(rewritten)).isEqualTo(Outcome.CONTINUE);
        TestExchange made = TestExchange.of("GET", "/f/keys/1", "Host: a").withScheme("https");
        made.request().path("/firmware/keys/1");
        assertThat(plugin.request(made)).isEqualTo(Outcome.CONTINUE);
    }

    @Test
    void refusesWhatItCanNotDo() {
        DegradeHttpFactory factory = new DegradeHttpFactory();
        assertThatThrownBy(() -> factory.create(Settings.of(Map.of("status", 303)), new TestContext()))
                .hasMessage("/status: 303 (expected: 301, 302, 307 or 308)");
    }

    private static String read(String server, String router, String route, String pass, String all) {
        String json = """
                {
                  "proxy-server": {
                    "http": [{ "id": "plain", "port": 80, "plugin": {%1$s} },
                             { "id": "balanced", "port": 8000, "plugin": {} }]
                  },
                  "router": [
                    { "id": "r", "proxy-server-id": "balanced", "plugin": {%2$s}, "route": [
                      { "id": "firmware", "path": "/firmware/*", "proxy-pass-id": "p", "plugin": {%3$s} },
                      { "id": "rest", "path": "/*", "proxy-pass-id": "q" } ] },
                    { "id": "other", "proxy-server-id": "plain", "route": [
                      { "id": "all", "path": "/*", "proxy-pass-id": "q" } ] }
                  ],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u", "plugin": {%4$s} }, { "id": "q", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:9001"] }],
                  "plugins": {%5$s}
                }
                """.formatted(server, router, route, pass, all);
        ConfigResult result = new ConfigReader(CATALOG.schemas(), CATALOG::tryOut)
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        return switch (result) {
            case ConfigResult.Invalid invalid -> invalid.text("sigma.json");
            case ConfigResult.Valid valid -> valid.warnings().toString();
        };
    }

    private static final String DEGRADE = "\"https-degrade-http\": {}";

    @Test
    void byItselfItIsFine() {
        assertThat(read("", "", DEGRADE, "", "")).isEqualTo("[]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            `"hsts": {}`                                                                        | `` | no Strict-Transport-Security
            `"hsts": { "when": "request.path == '/a'" }`                                        | `` | no Strict-Transport-Security
            `"headers": { "response": { "set": { "strict-transport-security": "max-age=1" } } }` | `` | no Strict-Transport-Security
            `"http-redirect-https": {}`                                                         | `` | no "http-redirect-https"
            ``                                                    | `"http-redirect-https": true`    | no "http-redirect-https"
            """)
    void whatSendsClientsBackOnTheSameWayIsAProblem(String plugin, String all, String expected) {
        String place = "/router/0/route/0/plugin/https-degrade-http: \"https-degrade-http\" (expected: ";
        assertThat(read("", plugin, DEGRADE, "", all)).contains(place + expected);
        assertThat(read("", "", DEGRADE, plugin, all)).contains(place + expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            `"hsts": { "enable": false }`
            `"hsts": { "mode": "shadow" }`
            `"http-redirect-https": { "port": 443, "when": "request.path == '/a'" }`
            `"headers": { "response": { "set": { "X-A": "1" } } }`
            """)
    void whatDoesNotSendThemBackGoesWithIt(String plugin) {
        assertThat(read("", plugin, DEGRADE, "", "")).isEqualTo("[]");
    }

    @Test
    void whatASubRouterSaysIsOnTheSameWay() {
        String json = """
                {
                  "proxy-server": { "http": { "id": "web", "port": 8000 } },
                  "router": [
                    { "id": "r", "proxy-server-id": "web", "route": [
                      { "id": "a", "path": "/a/*", "sub-router": "s", "plugin": { "https-degrade-http": {} } } ] },
                    { "id": "s", "plugin": { "hsts": {} }, "route": [
                      { "id": "b", "path": "/b", "proxy-pass-id": "p" } ] } ],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:9001"] }]
                }
                """;
        ConfigResult result = new ConfigReader(CATALOG.schemas(), CATALOG::tryOut)
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        assertThat(((ConfigResult.Invalid) result).text("sigma.json")).contains("no Strict-Transport-Security");
    }

    /** Browsers keep the field for the host, whichever path it came by. */
    @Test
    void aPolicyElsewhereOnTheHostIsAWarning() {
        String json = """
                {
                  "proxy-server": { "http": { "id": "web", "port": 8000 } },
                  "router": [{ "id": "r", "proxy-server-id": "web", %s "route": [
                    { "id": "firmware", "path": "/firmware/*", "plugin": { "https-degrade-http": {}, "respond": {} } } ] },
                    { "id": "s", "proxy-server-id": "web", %s "route": [
                    { "id": "rest", "path": "/*", "plugin": { "hsts": {}, "respond": {} } } ] }],
                  "proxy-pass": [],
                  "upstream": []
                }
                """;
        assertThat(warnings(json.formatted("", "\"virtual-host\": \"a.example\",")))
                .hasSize(1)
                .allMatch(text -> text.contains("a host of its own"));
        assertThat(warnings(json.formatted("\"virtual-host\": \"b.example\",", "\"virtual-host\": \"a.example\",")))
                .isEmpty();
    }

    private static List<String> warnings(String json) {
        ConfigResult result = new ConfigReader(CATALOG.schemas(), CATALOG::tryOut)
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        return ((ConfigResult.Valid) result)
                .warnings().stream().map(each -> each.text("sigma.json")).toList();
    }

    @Test
    void aServerThatSendsClientsBackIsAWarning() {
        String redirect = "\"http-redirect-https\": {%s}";
        assertThat(read(redirect.formatted(""), "", DEGRADE, "", ""))
                .contains("\"except\" with this path at the \"http-redirect-https\" of the server on port 80");
        assertThat(read(redirect.formatted("\"port\": 443, \"except\": [\"/firmware/\"]"), "", DEGRADE, "", ""))
                .isEqualTo("[]");
    }
}
