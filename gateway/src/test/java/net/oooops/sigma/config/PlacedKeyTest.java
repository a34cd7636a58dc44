package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people write at a place leads to a key that there is. */
class PlacedKeyTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(PlacedKeyTest.class.getClassLoader());
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TestFactory
    Stream<DynamicTest> allPlacesAndTargetsAreInTheSchema() throws Exception {
        JsonNode schema = MAPPER.readTree(new ConfigReader(CATALOG.schemas()).composedSchema());
        List<DynamicTest> tests = new ArrayList<>();
        for (PlacedKey.Line line : PlacedKey.lines()) {
            for (String place : line.places()) {
                String target = PlacedKey.target(line.target(), place);
                tests.add(dynamicTest(place + " " + line.keys() + " " + target, () -> {
                    assertThat(place.equals("*") || isThere(schema, place)).isTrue();
                    assertThat(!target.startsWith("/") || isThere(schema, target))
                            .isTrue();
                    for (String key : line.keys()) {
                        assertThat(!place.equals("*")
                                        && !steps(schema, at(schema, place), key)
                                                .isEmpty())
                                .as(key)
                                .isFalse();
                    }
                }));
            }
        }
        return tests.stream();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/upstream/0/health/active | uri | \"path\" in \"http\"",
                "/upstream/0/health/active/http | uri | did you mean \"path\"",
                "/plugins/log-config | path | did you mean \"file\"",
                "/upstream/0 | keepalive | \"max-pool-size-per-server\" of \"proxy-client\"",
                "/proxy-server/http | keepalive | \"keep-alive\" in \"timeouts\"",
                "/router/0/route/0/plugin/rewrite-path | to | did you mean \"replacement\"",
                "/router/0/plugin/traffic-split/splits/0 | weight | did you mean \"percent\"",
                "'' | log-config | \"log-config\" of \"plugins\"",
                "'' | plugin | \"plugin\" of a server, router, route or proxy-pass",
                "'' | cors | \"cors\" in \"plugin\" of a server, router, route or proxy-pass",
                "/router/0/route/0 | gzip | \"gzip\" in \"plugin\" of a server, router, route or proxy-pass",
                "'' | consumers | \"consumers\" of the plugin \"key-auth\"",
                "/router/0/route/0 | whitelist | \"allow\" of the plugin \"ip-restriction\"",
                "/router/0/route/0/plugin | whitelist | did you mean \"ip-restriction\"",
                "/router/0/route/0/plugin/ip-restriction | whitelist | did you mean \"allow\"",
                "/router/0 | maintenance | the plugin \"respond\"",
                "/router/0/route/0 | return | the plugin \"respond\"",
                "/router/0/route/0/plugin | request-size-limiting | did you mean \"body-limit\"",
                "/proxy-pass/0 | websocket | nothing: WebSocket",
                "/router/0/route/0 | try_files | \"fallback\" of the plugin \"static-resources\"",
                "/proxy-server/https/ssl | protocols | did you mean \"min-version\"",
                "/proxy-server/https | ssl_protocols | \"min-version\" in \"ssl\"",
                "/router/0/plugin/jwt | secret | did you mean \"keys\"",
                "/proxy-pass/0/timeout | connect | \"connect-timeout\" of \"proxy-client\"",
                "/proxy-pass/0/timeout | read | did you mean \"response\"",
                "/proxy-pass/0/timeout | send | did you mean \"idle\"",
                "/router/0/plugin/rate-limit | burst | \"burst\" in \"limits\"",
                "/router/0/plugin/key-auth | keys | \"keys\" in \"consumers\"",
                "/router/0/plugin/key-auth/consumers/0 | plan | \"X-Consumer-Plan\"",
                "/router/0/plugin/rewrite-path | strip-prefix | \"^/a(/|$)\"",
                "/router/0/plugin/key-auth/from/0 | header | did you mean \"field\"",
                "/router/0/plugin/static-resources | autoindex | folders are never listed",
                "/proxy-pass/0/retry | attempts | did you mean \"tries\"",
                "'' | worker_connections | \"connections\" of \"limits\"",
                "/plugins/error-pages | 5xx | \"pages\" of the plugin \"error-pages\"",
                "/upstream/0/health/active | target | (expected: \"interval\",",
            })
    void whatIsWrittenIsToldByItsPlace(String place, String key, String hint) {
        assertTold(place, key, hint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/router/0/plugin/key-auth | key | \"keys\" in \"consumers\"",
                "/router/0/plugin/jwt | aud | did you mean \"audience\"",
                "/router/0/plugin/jwt | iss | did you mean \"issuer\"",
                "/proxy-server/https/ssl | certificate | did you mean \"certPath\"",
                "/proxy-server/https/ssl | certificate_key | did you mean \"keyPath\"",
                "'' | spring | for the routes of cloud.gateway",
                "/router/0/plugin | when | within the settings of a plugin",
                "/router/0/route/0 | when | within the settings of a plugin",
                "/router/0/plugin | jwt-auth | did you mean \"jwt\"",
                "/router/0/plugin | openid-connect | did you mean \"oidc\"",
                "/router/0/plugin | oauth2 | \"oidc\" for logins",
                "/router/0/plugin | limit-count | did you mean \"rate-limit\"",
                "/router/0/plugin | proxy-rewrite | did you mean \"rewrite-path\"",
                "/router/0/plugin | addPrefix | did you mean \"rewrite-path\"",
                "/router/0/plugin | replacePath | did you mean \"rewrite-path\"",
                "/router/0/plugin | SetPath | did you mean \"rewrite-path\"",
                "/router/0/plugin | AddRequestHeader | did you mean \"headers\"",
                "/router/0/plugin | response-transformer | did you mean \"headers\"",
                "/router/0/plugin | api-breaker | \"breaker\" of an upstream",
                "/router/0/plugin | ip-allow | did you mean \"ip-restriction\"",
            })
    void whatOtherGatewaysHaveIsToldByItsPlace(String place, String key, String hint) {
        assertTold(place, key, hint);
    }

    private static void assertTold(String place, String key, String hint) {
        List<String> steps =
                place.isEmpty() ? List.of() : List.of(place.substring(1).split("/"));
        String json = "{\"" + key + "\": 1}";
        for (String step : steps.reversed()) {
            json = step.equals("0") ? "[" + json + "]" : "{\"" + step + "\": " + json + "}";
        }
        ConfigResult result = new ConfigReader(CATALOG.schemas())
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        assertThat(((ConfigResult.Invalid) result)
                        .text("sigma.json")
                        .lines()
                        .filter(line -> line.contains("unknown key")))
                .singleElement()
                .asString()
                .contains(place + "/" + key + ": ", hint);
    }

    @Test
    void theHttpOfTraefikIsNoServer() {
        String json = "{\"http\": {\"routers\": {}, \"services\": {}}}";
        ConfigResult result = new ConfigReader(CATALOG.schemas())
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        assertThat(((ConfigResult.Invalid) result).text("sigma.json"))
                .contains("/http: unknown key", "\"router\" for routers", "\"upstream\" for services")
                .doesNotContain("of \"proxy-server\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/proxy-server/http | max-body | \"body\" in \"limits\"",
                "'' | max-body | \"body\" of \"limits\"",
                "/router/0/route/0 | max-body | (expected: \"max\" of the plugin \"body-limit\")",
                "/router/0/route/0 | client_max_body_size | (expected: \"max\" of the plugin \"body-limit\")",
                "/router/0 | max-connections | (expected: \"max\" of the plugin \"concurrency-limit\")",
                "/router/0/route/0 | max-connections | (expected: \"max\" of the plugin \"concurrency-limit\")",
                "/upstream/0 | max-connections | \"max-connections\" in \"breaker\"",
                "/proxy-pass/0 | max-connections | \"max-connections\" in \"breaker\" of an upstream",
                "/timeouts | read | \"header\" for what clients ask; for what nodes answer: \"response\" in \"timeout\" of a proxy-pass",
                "/timeouts | connect_timeout | \"connect-timeout\" of \"proxy-client\"",
                "/timeouts | proxy_read_timeout | \"response\" in \"timeout\" of a proxy-pass",
                "/timeouts | proxy_send_timeout | \"idle\" in \"timeout\" of a proxy-pass",
                "/timeouts | client_body_timeout | did you mean \"body-idle\"",
                "/timeouts | queue | \"wait-timeout\" of \"proxy-client\"",
                "/proxy-server/http | read-timeout | \"header\" in \"timeouts\"",
                "'' | proxy_read_timeout | \"response\" in \"timeout\" of a proxy-pass",
                "/upstream/0 | read_timeout | \"response\" in \"timeout\" of a proxy-pass",
                "/upstream/0 | connect_timeout | \"connect-timeout\" of \"proxy-client\"",
                "/router/0/route/0 | proxy_send_timeout | \"idle\" in \"timeout\" of a proxy-pass",
                "/proxy-client | proxy_connect_timeout | did you mean \"connect-timeout\"",
                "/proxy-pass/0 | proxy_connect_timeout | \"connect-timeout\" of \"proxy-client\"",
                "/proxy-pass/0/timeout | proxy_read_timeout | did you mean \"response\"",
                "/timeouts | connect | \"connect-timeout\" of \"proxy-client\"",
                "/timeouts | send | did you mean \"send-stall\"",
                "/timeouts | response | \"response\" in \"timeout\" of a proxy-pass",
            })
    void boundsAndTimeoutsAreToldByTheirPlace(String place, String key, String hint) {
        whatIsWrittenIsToldByItsPlace(place, key, hint);
    }

    /** What nginx, Envoy, Kong and Traefik have, and slips. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/plugins | error-page | did you mean \"error-pages\"",
                "/plugins | errors | did you mean \"error-pages\"",
                "/router/0/route/0/plugin | error-page | did you mean \"error-pages\"",
                "/router/0/route/0 | consumers | one of 13 keys, or \"consumers\" of the plugin \"key-auth\"; did you mean \"consumes\"?",
                "/router/0/route/0 | headers | \"headers\" in \"plugin\" of a server, router, route or proxy-pass; did you mean \"header\"?",
                "/router/0/route/0 | add_header | (expected: the plugin \"headers\")",
                "/router/0/route/0 | priority | nothing: the most specific \"path\"",
                "/router/0/route/0 | timeouts | \"timeout\" of a proxy-pass",
                "/router/0/route/0 | name | did you mean \"id\"",
                "/router/0/route/0 | tags | the plugin \"metadata\"",
                "/router/0/route/0 | proxy_cache | nothing: Sigma keeps no answers",
                "/router/0/route/0 | pass_host_header | \"preserve-host\" of a proxy-pass",
                "/router/0/route/0 | basicAuth | \"basic-auth\"",
                "/proxy-server | http3 | nothing: Sigma speaks",
                "/proxy-server | http2 | \"http2\" of a server in \"proxy-server.http\"",
                "/proxy-server/http | proxy_protocol | \"proxy-protocol\" of a server in \"proxy-server.tcp\"",
                "/proxy-server/http | max-connections | \"connections\" in \"limits\"",
                "/proxy-pass/0 | read-timeout | \"response\" in \"timeout\"",
                "/proxy-pass/0 | nodes | \"nodes\" of an upstream",
                "/proxy-pass/0 | host | did you mean \"preserve-host\"",
                "/upstream/0 | slow_start | \"slow-start\" in \"passive\" in \"health\"",
                "/upstream/0 | type | \"rule-strategy\"",
                "/upstream/0/nodes/0 | max_conns | \"max-pool-size-per-server\" of \"proxy-client\"",
                "'' | static_resources | \"static-resources\" in \"plugin\" of",
                "'' | http | \"http\" of \"proxy-server\"",
                "'' | routes | did you mean \"router\"",
                "'' | dns | \"dns\" of \"runtime\"",
                "'' | user | nothing: Sigma runs as",
                "/proxy-server/http | virtual-host | (expected: \"virtual-host\" of a router)",
                "/router/0/route/0 | upstream-id | \"upstream-id\" of a proxy-pass, which a route names in \"proxy-pass-id\"",
                "/router/0/route/0 | rule | \"path\", \"header\" and \"query\"",
                "/router/0/route/0 | return | or \"redirect\" for a status such as 301",
                "/router/0 | rule | \"virtual-host\" of the router",
                "/plugins | rate-limit | (expected: \"rate-limit\" in \"plugin\" of a server",
                "/upstream/0 | ip_hash | (expected: \"rule-strategy\": \"source-hash\")",
                "/upstream/0 | least_conn | (expected: \"rule-strategy\": \"least-connections\")",
                "/upstream/0 | backup | (expected: \"backup\" of a node in \"nodes\")",
                "/upstream/0 | zone | (expected: \"zone\" of a node in \"nodes\")",
                "/upstream/0 | keepalive | nothing: connections to nodes are kept by themselves",
                "/upstream/0/sticky | cookie | did you mean \"name\"",
                "/proxy-server/https/ssl/acme | domains | did you mean \"server-names\"",
                "/router/0/plugin/gzip | types | did you mean \"content-types\"",
                "/router/0/plugin/headers | X-A | \"request\" or \"response\", with fields in \"set\"",
                "/router/0/plugin/headers/request | X-A | \"set\", \"add\", \"set-template\" or \"remove\", with fields in it",
                "/upstream/0/health/active | target | (expected: \"interval\",",
            })
    void whatOthersHaveAndSlipsAreTold(String place, String key, String hint) {
        whatIsWrittenIsToldByItsPlace(place, key, hint);
    }

    private static boolean isThere(JsonNode root, String pointer) {
        return !at(root, pointer).isEmpty();
    }

    private static Set<JsonNode> at(JsonNode root, String pointer) {
        Set<JsonNode> at = Set.of(root);
        if (pointer.startsWith("/plugin/") || pointer.equals("/plugin")) {
            at = steps(root, at, "router");
        }
        for (String step : pointer.isEmpty()
                ? List.<String>of()
                : List.of(pointer.substring(1).split("/"))) {
            at = steps(root, at, step);
        }
        return at;
    }

    private static Set<JsonNode> steps(JsonNode root, Set<JsonNode> from, String step) {
        Set<JsonNode> found = new LinkedHashSet<>();
        for (JsonNode each : from) {
            for (JsonNode schema : all(root, each, new LinkedHashSet<>())) {
                JsonNode property = schema.path("properties").get(step);
                if (property != null) {
                    found.add(property);
                }
            }
        }
        return found;
    }

    /** A schema, with what it refers to, its alternatives and, of arrays, those of their entries. */
    private static Set<JsonNode> all(JsonNode root, JsonNode schema, Set<JsonNode> all) {
        if (!all.add(schema)) {
            return all;
        }
        if (schema.has("$ref")) {
            all(root, root.at(schema.get("$ref").asText().substring(1)), all);
        }
        if (schema.has("items")) {
            all(root, schema.get("items"), all);
        }
        for (String keyword : List.of("anyOf", "oneOf", "allOf")) {
            schema.path(keyword).forEach(each -> all(root, each, all));
        }
        return all;
    }
}
