package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Sigma is told among a plugin's settings: {@code when} and {@code mode}. */
class PlacementTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(PlacementTest.class.getClassLoader());

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private static Map<String, Object> hsts(String key, Object value) {
        return Map.of(key, value, "max-age", 60);
    }

    private static Plugin made(String name, Object settings) {
        return Objects.requireNonNull(CATALOG.create(name, settings));
    }

    @Test
    void aPluginThatIsToldNothingStandsAsItIsMade() {
        Plugin plain = made("hsts", Map.of("max-age", 60));
        assertThat(PluginCatalog.made(plain)).isSameAs(plain);
        assertThat(made("hsts", hsts("mode", "enforce"))).hasSameClassAs(plain);
        assertThat(made("x-frame", "DENY")).isNotInstanceOf(WrappedPlugin.class);
    }

    @Test
    void whatIsToldStandsInItsPlace() {
        Plugin plain = made("hsts", Map.of("max-age", 60));
        Plugin conditioned = made("hsts", hsts("when", "response.status == 200"));
        Plugin shadow = made("hsts", hsts("mode", "shadow"));
        Plugin both = made("hsts", Map.of("mode", "shadow", "when", "request.method == 'GET'"));

        assertThat(conditioned)
                .isInstanceOfSatisfying(
                        ConditionedPlugin.class,
                        of -> assertThat(of.condition()).isEqualTo("response.status == 200"));
        assertThat(shadow).isInstanceOf(ShadowPlugin.class);
        assertThat(both)
                .isInstanceOfSatisfying(
                        ConditionedPlugin.class, of -> assertThat(of.inner()).isInstanceOf(ShadowPlugin.class));
        for (Plugin each : List.of(conditioned, shadow, both)) {
            assertThat(PluginCatalog.made(each)).hasSameClassAs(plain);
            assertThat(each.needs()).isEqualTo(plain.needs());
        }
    }

    @Test
    void everyPluginThatIsBuiltInCanBeTold() throws Exception {
        ObjectMapper json = new ObjectMapper();
        for (Map.Entry<String, String> each : CATALOG.schemas().entrySet()) {
            JsonNode type = json.readTree(each.getValue()).path("type");
            assertThat(type.isArray() ? type : json.createArrayNode().add(type))
                    .as(each.getKey())
                    .contains(json.getNodeFactory().textNode("object"));
        }
        assertThat(made("x-frame", Map.of("value", "DENY", "when", "request.path == '/a'")))
                .isInstanceOf(ConditionedPlugin.class);
        assertThat(made("x-frame", Map.of("value", "DENY", "mode", "shadow"))).isInstanceOf(ShadowPlugin.class);
    }

    @Test
    void aChainKnowsThem() {
        Plugin plain = made("hsts", Map.of());
        Plugin both = made("hsts", Map.of("mode", "shadow", "when", "request.method == 'GET'"));
        Chain chain = Chain.of(List.of(new Chain.Link("a", plain), new Chain.Link("b", both)));

        assertThat(chain.slots()).isEqualTo(4);
        assertThat(chain.slotOf(plain)).isEqualTo(0);
        assertThat(chain.slotOf(both)).isEqualTo(1);
        assertThat(chain.slotOf(((WrappedPlugin) both).inner())).isEqualTo(3);
        assertThat(chain.slotOf(made("hsts", Map.of()))).isEqualTo(-1);
        assertThat(chain.condition(0)).isNull();
        assertThat(chain.condition(1)).isEqualTo("request.method == 'GET'");
        assertThat(chain.isShadow(0)).isFalse();
        assertThat(chain.isShadow(1)).isTrue();
        assertThat(chain.response().isShadow(0)).isTrue();
        assertThat(chain.response().isShadow(1)).isFalse();
        assertThat(Chain.of(List.of(new Chain.Link("a", plain))).slots()).isEqualTo(1);
    }

    @Test
    void aConditionThatCantBeUsedIsAProblemOfIt() {
        assertThatThrownBy(() -> CATALOG.create("hsts", hsts("when", "request.metod == 'GET'")))
                .isInstanceOfSatisfying(SettingsException.class, e -> {
                    assertThat(e.pointer()).isEqualTo("/when");
                    assertThat(e.found()).isEqualTo("\"request.metod == 'GET'\"");
                    assertThat(e.expected()).startsWith("an expression in CEL; character 1: undeclared reference");
                });
    }

    @Test
    void aPluginThatSeesRequestsCantAskForTheResponse() {
        assertThatThrownBy(() -> CATALOG.create(
                        "rewrite-path", Map.of("regexp", "^/a", "replacement", "/", "when", "response.status == 200")))
                .isInstanceOfSatisfying(
                        SettingsException.class,
                        e -> assertThat(e.expected()).startsWith("a condition on the request"));
    }

    @Test
    void sessionsHaveNoConditions() {
        Map<String, Object> settings = Map.of("deny", List.of("10.0.0.0/8"), "when", "client.address == '10.0.0.1'");
        assertThatThrownBy(() -> CATALOG.tryOut("ip-restriction", settings, Protocol.TCP))
                .isInstanceOfSatisfying(SettingsException.class, e -> {
                    assertThat(e.pointer()).isEqualTo("/when");
                    assertThat(e.expected()).startsWith("none: sessions have no requests");
                });
    }

    @Test
    void problemsAreAtTheirPlaceInTheFile() {
        assertThat(invalid("{ \"max-age\": 60,\n \"when\": \"request.method = 'GET'\" }"))
                .contains("sigma.json:4:10", "\"request.method = 'GET'\"", "an expression in CEL; character 16: ");
        assertThat(invalid("{ \"when\": 1 }")).contains("an expression in CEL, of 1 to 4096 characters");
        assertThat(invalid("{ \"mode\": \"off\" }")).contains("one of \"enforce\", \"shadow\"");
    }

    private String invalid(String hsts) {
        return ((ConfigResult.Invalid) read(hsts)).text("sigma.json");
    }

    private ConfigResult read(String hsts) {
        String json = """
                {
                  "proxy-server": { "http": { "id": "s", "port": 8080 } },
                  "router": [{ "id": "r", "proxy-server-id": "s", "plugin": { "hsts": %s }, "route": [{ "id": "a", "path": "/*", "proxy-pass-id": "p" }] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:9"] }]
                }
                """.formatted(hsts);
        return new ConfigReader(CATALOG.schemas(), CATALOG::tryOut).read(json.getBytes(StandardCharsets.UTF_8), dir);
    }

    /** A factory and its plugin don't see what is Sigma's. */
    @Test
    void thePluginDoesntSeeIt() {
        Placement placement = Placement.of(Map.of("when", "true", "mode", "shadow", "own", 1));
        assertThat(Settings.of(placement.settings()).keys()).containsExactly("own");
        assertThat(placement.isSaid()).isTrue();
        assertThat(Placement.of("DENY").settings()).isEqualTo("DENY");
        assertThat(made("hsts", hsts("mode", "shadow")).needs()).isEqualTo(Needs.RESPONSE);
    }
}
