package net.oooops.sigma.plugins.redirecthttps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectHttpsTest {
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));

    @AfterEach
    void stop() {
        node.close();
    }

    private static GatewayBuilder redirecting(GatewayBuilder builder, Map<String, ?> settings) {
        return builder.plugin("http-redirect-https", settings);
    }

    private static RawResponse ask(GatewayFixture gateway, String request) throws IOException {
        try (RawClient client = RawClient.connect(gateway.port())) {
            return client.send(request + "\r\n\r\n").readResponse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET / HTTP/1.1, shop.example, https://shop.example/",
        "GET /a/b?c=d&e=%20f HTTP/1.1, shop.example:8080, https://shop.example/a/b?c=d&e=%20f",
        "POST /a? HTTP/1.1, shop.example, https://shop.example/a?",
        "GET /%C3%A4 HTTP/1.1, [::1]:80, https://[::1]/%C3%A4",
        "GET //a/../b HTTP/1.1, a, https://a/b",
        "GET //evil.example/ HTTP/1.1, a, https://a/evil.example/",
        "HEAD /a HTTP/1.1, 127.0.0.1, https://127.0.0.1/a",
        "GET http://other.example/x HTTP/1.1, other.example, https://other.example/x"
    })
    void goesToTheSameOverHttps(String line, String host, String location) throws IOException {
        try (GatewayFixture gateway =
                        redirecting(GatewayFixture.to(node), Map.of()).start();
                RawClient client = RawClient.connect(gateway.port())) {
            client.send(line + "\r\nHost: " + host + "\r\n\r\n");
            RawResponse response = line.startsWith("HEAD") ? client.readResponse("HEAD") : client.readResponse();
            assertThat(response.status()).isEqualTo(308);
            assertThat(response.headers().values("Location")).containsExactly(location);
            assertThat(node.requestCount()).isZero();
        }
    }

    @Test
    void statusAndPortCanBeOthers() throws IOException {
        try (GatewayFixture gateway = redirecting(GatewayFixture.to(node), Map.of("status", 301, "port", 8443))
                .start()) {
            RawResponse response = ask(gateway, "GET /a HTTP/1.1\r\nHost: a:8080");
            assertThat(response.status()).isEqualTo(301);
            assertThat(response.headers().values("Location")).containsExactly("https://a:8443/a");
        }
    }

    @Test
    void whereIssuersOfCertificatesLookPasses() throws IOException {
        try (GatewayFixture gateway =
                redirecting(GatewayFixture.to(node), Map.of()).start()) {
            assertThat(ask(gateway, "GET /.well-known/acme-challenge/x HTTP/1.1\r\nHost: a")
                            .status())
                    .isEqualTo(200);
        }
        try (GatewayFixture gateway = redirecting(GatewayFixture.to(node), Map.of("except", List.of("/health")))
                .start()) {
            assertThat(ask(gateway, "GET /healthy HTTP/1.1\r\nHost: a").status())
                    .isEqualTo(200);
            assertThat(ask(gateway, "GET /.well-known/acme-challenge/x HTTP/1.1\r\nHost: a")
                            .status())
                    .isEqualTo(308);
        }
    }

    @Test
    void whatCameOverHttpsPasses() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/").withScheme("https");
        assertThat(PluginHarness.of(new RedirectHttpsFactory(), Map.of()).request(exchange))
                .isEqualTo(Outcome.CONTINUE);
    }

    /** Else a client would be sent to where it came from, again and again. */
    @ParameterizedTest
    @ValueSource(strings = {"/found", "/nowhere"})
    void whatABalancerSaysCameOverHttpsPasses(String path) throws IOException {
        try (GatewayFixture gateway = redirecting(
                        GatewayFixture.to(node).route("/found").allowForward(AllowForward.ALL, "127.0.0.0/8"), Map.of())
                .start()) {
            String request =
                    "GET " + path + " HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: ";
            assertThat(ask(gateway, request + "https").status()).isEqualTo(path.equals("/found") ? 200 : 404);
            assertThat(ask(gateway, request + "http").status()).isEqualTo(308);
        }
    }

    @Test
    void aRequestWithoutAHostIsRefused() throws IOException {
        try (GatewayFixture gateway =
                redirecting(GatewayFixture.to(node), Map.of()).start()) {
            assertThat(ask(gateway, "GET / HTTP/1.0").status()).isEqualTo(400);
            assertThat(node.requestCount()).isZero();
        }
    }

    /** Beside the server that is asked, one that says itself that it doesn't. */
    @Test
    void everyServerCanBeToldAtOnce() {
        byte[] json = """
                {"proxy-server": {"http": [
                  {"id": "a", "port": 0, "plugin": {"x-frame": "DENY"}},
                  {"id": "b", "port": 0, "plugin": {"http-redirect-https": {"enable": false}}},
                  {"id": "c", "port": 0, "plugin": {"http-redirect-https": {"port": 8443}}}]},
                 "router": [], "proxy-pass": [], "upstream": [], "plugins": {"http-redirect-https": true}}
                """.getBytes(StandardCharsets.UTF_8);
        PluginCatalog catalog = new PluginCatalog(RedirectHttpsTest.class.getClassLoader());
        ConfigResult.Valid valid = (ConfigResult.Valid) new ConfigReader(catalog.schemas(), catalog::tryOut)
                .read(json, Path.of("").toAbsolutePath());
        assertThat(valid.config().listeners().stream()
                        .map(listener -> listener.plugins().stream()
                                .map(plugin -> plugin.name() + plugin.settings())
                                .toList()))
                .containsExactly(
                        List.of("http-redirect-https{}", "x-frameDENY"),
                        List.of(),
                        List.of("http-redirect-https{port=8443}"));
        assertThat(valid.warnings())
                .filteredOn(warning -> warning.place().pointer().endsWith("/id"))
                .as("no router is missed but that of b")
                .hasSize(1);
    }

    @Test
    void refusesWhatItCanNotDo() {
        RedirectHttpsFactory factory = new RedirectHttpsFactory();
        assertThatThrownBy(() -> factory.create(Settings.of(Map.of("status", 302)), new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessage("/status: 302 (expected: 301 or 308)");
        assertThatThrownBy(() -> factory.create(Settings.of(Map.of("port", 0)), new TestContext()))
                .hasMessage("/port: 0 (expected: 1 to 65535)");
        assertThatThrownBy(() -> factory.create(Settings.of(Map.of("except", List.of("health"))), new TestContext()))
                .hasMessage("/except/0: \"health\" (expected: the beginning of a path)");
    }
}
