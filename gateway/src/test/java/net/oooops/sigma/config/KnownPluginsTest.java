package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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

class KnownPluginsTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(KnownPluginsTest.class.getClassLoader());
    private static final ObjectMapper JSON = new ObjectMapper();

    static Stream<String> builtIn() {
        return ServiceLoader.load(PluginFactory.class).stream()
                .filter(each -> each.type().getName().startsWith("net.oooops.sigma.plugins."))
                .map(each -> each.get().name());
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void eachIsKnownForWhatItIs(String name) throws Exception {
        String type = CATALOG.madeBy(name).getClass().getName();
        assertThat(KnownPlugins.findsConsumer(name)).isEqualTo(type.contains(".plugins.authentication."));
        assertThat(KnownPlugins.mayFindConsumer(name))
                .isEqualTo(KnownPlugins.findsConsumer(name) || name.equals("connection-rate"));

        boolean sees = false;
        for (JsonNode example : JSON.readTree(CATALOG.schemas().get(name)).path("examples")) {
            Needs needs = Objects.requireNonNull(CATALOG.create(name, JSON.treeToValue(example, Object.class)))
                    .needs();
            sees |= needs.request() || needs.requestBody().kind() != BodyNeed.Kind.NONE;
        }
        assertThat(KnownPlugins.seesRequests(name)).isEqualTo(sees);
    }

    @Test
    void whatIsNotBuiltInMayFindConsumersAndNeedNotSeeRequests() {
        assertThat(KnownPlugins.findsConsumer("example")).isFalse();
        assertThat(KnownPlugins.mayFindConsumer("example")).isTrue();
        assertThat(KnownPlugins.seesRequests("example")).isFalse();
        assertThat(KnownPlugins.mayAnswer("example")).isTrue();
    }

    @Test
    void whatOnlyRefusesOrChangesAnswersNothing() {
        assertThat(builtIn().filter(KnownPlugins::mayAnswer))
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
    }
}
