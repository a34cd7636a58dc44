package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that are sent to https find somebody there, or {@code check} says that they don't. */
class RedirectCheckTest {
    private static final ConfigReader READER =
            new ConfigReader(new PluginCatalog(RedirectCheckTest.class.getClassLoader()).schemas());

    private static final String ALONE = "a server in \"proxy-server.https\" on port 443, where clients are sent; "
            + "where a load balancer has TLS end: \"trusted-proxies\" and \"allow-forward\" of the router";
    private static final String ELSEWHERE =
            "a server in \"proxy-server.https\" on port 443, where clients are sent; or ";

    private static List<String> warnings(String servers, String router, String plugins) {
        String json = """
                {
                  "proxy-server": { %s },
                  "router": [{ "id": "x", "proxy-server-id": "a", %s "route": [{ "id": "r", "path": "/*", "proxy-pass-id": "p" }] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }, { "id": "t", "upstream-id": "t" }],
                  "upstream": [
                    { "id": "u", "nodes": ["http://127.0.0.1:1"] },
                    { "id": "t", "nodes": ["tcp://127.0.0.1:1"] }
                  ],
                  "plugins": { %s }
                }
                """.formatted(servers, router, plugins);
        ConfigResult result =
                READER.read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        assertThat(result).as(json).isInstanceOf(ConfigResult.Valid.class);
        return ((ConfigResult.Valid) result)
                .warnings().stream()
                        .filter(each -> each.place().pointer().endsWith("/http-redirect-https"))
                        .map(Problem::expected)
                        .toList();
    }

    private static String plain(String settings) {
        return "\"http\": { \"id\": \"a\", \"port\": 80, \"plugin\": { \"http-redirect-https\": {%s} } }"
                .formatted(settings);
    }

    private static String https(int port) {
        return ", \"https\": { \"id\": \"s\", \"port\": %d }".formatted(port);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"status\": 301", "\"when\": \"request.path == '/a'\""})
    void whereNobodyListensIsWarnedOf(String settings) {
        assertThat(warnings(plain(settings), "", "")).containsExactly(ALONE);
        assertThat(warnings(plain(settings) + https(8443), "", ""))
                .containsExactly(ELSEWHERE + "\"port\" beside it: 8443, or 443 where that leads there");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"port\": 8443", "\"port\": 443", "\"enable\": false", "\"mode\": \"shadow\""})
    void whoWritesThePortKnows(String settings) {
        assertThat(warnings(plain(settings), "", "")).isEmpty();
    }

    @Test
    void whereSomebodyDoesThereIsNoWarning() {
        assertThat(warnings(plain("") + https(443), "", "")).isEmpty();
        String passed = ", \"tcp\": [{ \"id\": \"t\", \"port\": 443, \"proxy-pass-id\": \"t\" }]";
        assertThat(warnings(plain("") + passed, "", "")).isEmpty();
    }

    @Test
    void behindALoadBalancerItIsThatOne() {
        String trust = "\"trusted-proxies\": [\"10.0.0.0/8\"], \"allow-forward\": \"all\",";
        assertThat(warnings(plain(""), trust, "")).isEmpty();
        assertThat(warnings(plain(""), trust.replace("\"all\"", "\"none\""), ""))
                .containsExactly(ALONE);
    }

    @Test
    void allServersAreWarnedOfOnce() {
        String all = "\"http-redirect-https\": true";
        String plain = "\"http\": [{ \"id\": \"a\", \"port\": 80 }, { \"id\": \"b\", \"port\": 81 }]";
        assertThat(warnings(plain + https(8443), "", all))
                .containsExactly(
                        ELSEWHERE + "the plugin at the server, with \"port\": 8443, or 443 where that leads there");
        assertThat(warnings(plain + https(443), "", all)).isEmpty();
        assertThat(warnings(plain("\"port\": 8443") + https(8443), "", all)).isEmpty();
    }

    @Test
    void ofARouterToo() {
        String plugin = "\"plugin\": { \"http-redirect-https\": {} },";
        assertThat(warnings("\"http\": { \"id\": \"a\", \"port\": 80 }", plugin, ""))
                .containsExactly(ALONE);
        assertThat(warnings("\"https\": { \"id\": \"a\", \"port\": 8443 }", plugin, ""))
                .isEmpty();
    }
}
