package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PluginRoleTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(PluginRoleTest.class.getClassLoader());
    private static final ConfigSchema SCHEMA = CATALOG.composedSchema().get();
    private static final ObjectMapper JSON = new ObjectMapper();

    static Stream<String> builtIn() {
        return ServiceLoader.load(PluginFactory.class).stream()
                .filter(each -> each.type().getName().startsWith("net.oooops.sigma.plugins."))
                .map(each -> each.get().name());
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void eachSaysWhatItIs(String name) throws Exception {
        boolean session = false;
        boolean sees = false;
        for (JsonNode example : JSON.readTree(CATALOG.schemas().get(name)).path("examples")) {
            Needs needs = Objects.requireNonNull(CATALOG.create(name, JSON.treeToValue(example, Object.class)))
                    .needs();
            session |= needs.isSessionOnly();
            sees |= needs.request() || needs.requestBody().kind() != BodyNeed.Kind.NONE;
        }
        String type = CATALOG.madeBy(name).getClass().getName();
        PluginRole expected = session
                ? PluginRole.UNKNOWN
                : type.contains(".plugins.authentication.")
                        ? PluginRole.FINDS_CONSUMER
                        : sees ? PluginRole.SEES_REQUESTS : PluginRole.SEES_RESPONSES;
        assertThat(SCHEMA.role(name)).isEqualTo(expected);
        assertThat(CATALOG.composedSchema().findsConsumer(name)).isEqualTo(expected == PluginRole.FINDS_CONSUMER);
    }

    @Test
    void whatOnlyRefusesOrChangesAnswersNothing() {
        assertThat(builtIn().filter(SCHEMA::mayAnswer))
                .containsExactlyInAnyOrder(
                        "connection-rate",
                        "cors",
                        "error-pages",
                        "fault-injection",
                        "forward-auth",
                        "http-redirect-https",
                        "https-degrade-http",
                        "oidc",
                        "redirect",
                        "respond",
                        "static-resources",
                        "traffic-split");
        assertThat(SCHEMA.mayAnswer("example")).isTrue();
    }

    /** A plugin before cors, and one with a condition that goes by the consumer. */
    private static List<String> warnings(String roleOfFirst, String roleOfLast) {
        String json = """
                {
                  "proxy-server": { "http": { "id": "s", "port": 1,
                    "plugin": { "first": {}, "cors": { "allow-origins": "*" }, "last": { "when": "consumer.id == 'a'" } } } },
                  "router": [{ "id": "r", "proxy-server-id": "s", "route": [{ "id": "a", "path": "/*", "proxy-pass-id": "p" }] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:2"] }]
                }
                """;
        Map<String, String> schemas = Map.of(
                "first",
                "{\"type\": \"object\"" + roleOfFirst + "}",
                "cors",
                Objects.requireNonNull(CATALOG.schemas().get("cors")),
                "last",
                "{\"type\": \"object\"" + roleOfLast + "}");
        ConfigResult result = new ConfigReader(schemas).read(json.getBytes(StandardCharsets.UTF_8), Path.of("/"));
        assertThat(result).isInstanceOf(ConfigResult.Valid.class);
        return ((ConfigResult.Valid) result)
                .warnings().stream().map(Problem::found).toList();
    }

    private static String role(String word) {
        return ", \"x-role\": \"" + word + "\"";
    }

    @Test
    void pluginsOfOthersMaySayItToo() {
        assertThat(warnings(role("finds-consumer"), role("sees-requests")))
                .containsExactly("\"cors\" behind \"first\"");
        assertThat(warnings(role("sees-requests"), role("sees-requests"))).containsExactly("\"consumer.id == 'a'\"");
        assertThat(warnings(role("sees-responses"), role("finds-consumer"))).containsExactly("\"consumer.id == 'a'\"");
    }

    @Test
    void nothingIsHeldAgainstOneThatSaysNothing() {
        assertThat(warnings("", role("sees-requests"))).isEmpty();
        assertThat(warnings(role("sees-requests"), "")).isEmpty();
        assertThat(warnings(role("sees-requests"), role("sees-responses"))).isEmpty();
    }

    @Test
    void anotherWordIsAProblemOfItsSchema() {
        assertThat(new ComposedSchema(Map.of("first", "{\"x-role\": \"guard\"}")).unusable())
                .isEqualTo(Map.of(
                        "first",
                        "the schema of the plugin \"first\": /x-role: \"guard\" (expected: one of finds-consumer, sees-requests,"
                                + " sees-responses)"));
    }
}
