package net.oooops.sigma.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.snapshot.SnapshotException;
import net.oooops.sigma.snapshot.SnapshotProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parameters of paths that plugins name, where it is known which there are. */
class NamedParametersTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(NamedParametersTest.class.getClassLoader());

    /** One server, a route to a node, one that leads into another router by two ways, and a route there. */
    private static List<SnapshotProblem> problems(String server, String route, String leading, String inner) {
        String json = """
                {
                  'proxy-server': { 'http': { 'id': 'web', 'port': 1, 'plugin': { %1$s } } },
                  'router': [
                    { 'id': 'main', 'proxy-server-id': 'web', 'plugin': { %1$s }, 'route': [
                      { 'id': 'one', 'path': '/one/:id/*', 'proxy-pass-id': 'p', 'plugin': { %2$s } },
                      { 'id': 'shop', 'path': '/shop/:shop/*', 'sub-router': 'api', 'plugin': { %3$s } },
                      { 'id': 'own', 'path': '/own/*', 'sub-router': 'api' }
                    ] },
                    { 'id': 'api', 'route': [
                      { 'id': 'item', 'path': '/item/:item', 'proxy-pass-id': 'p', 'plugin': { %4$s } }
                    ] }
                  ],
                  'proxy-pass': [{ 'id': 'p', 'upstream-id': 'u', 'plugin': { %1$s } }],
                  'upstream': [{ 'id': 'u', 'nodes': ['http://127.0.0.1:1'] }]
                }
                """.formatted(server, route, leading, inner).replace('\'', '"');
        ConfigResult read = new ConfigReader(CATALOG.composedSchema(), CATALOG::tryOut)
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of(""));
        assertThat(read).as(() -> ((ConfigResult.Invalid) read).text("f")).isInstanceOf(ConfigResult.Valid.class);
        SnapshotException thrown = catchThrowableOfType(
                SnapshotException.class,
                () -> SnapshotCompiler.compile(((ConfigResult.Valid) read).config(), CATALOG)
                        .close());
        return thrown == null ? List.of() : thrown.problems();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'redirect': { 'to': '/x/:nope/:id' } | redirect/to",
                "'redirect': { 'to': '/x/:nope', 'when': 'true' } | redirect/to",
                "'redirect': { 'to': '/x/:nope', 'mode': 'shadow' } | redirect/to",
                "'headers': { 'request': { 'set-template': { 'X-A': '{param:id}/{param:nope}' } } } | headers/request/set-template/X-A",
                "'headers': { 'response': { 'set-template': { 'X-A': '{param:nope}' } } } | headers/response/set-template/X-A",
                "'rate-limit': { 'by': ['route', { 'parameter': 'nope' }], 'limits': [{ 'requests': 1 }] } | rate-limit/by",
                "'concurrency-limit': { 'by': { 'parameter': 'nope' }, 'max': 1 } | concurrency-limit/by"
            })
    void oneThatTheRouteHasNotIsAProblem(String plugin, String pointer) {
        assertThat(problems("", plugin, "", ""))
                .containsExactly(new SnapshotProblem(
                        "/router/0/route/0/plugin/" + pointer, "\":nope\"", "a parameter of the route's path, :id"));
        assertThat(problems("", plugin.replace("nope", "id"), "", "")).isEmpty();
        assertThat(problems(plugin, "", "", ""))
                .as("on a server, router or proxy-pass it may be there")
                .isEmpty();
    }

    @Test
    void portsAreNone() {
        assertThat(problems("", "'redirect': { 'to': '/x:8080' }", "", "")).hasSize(1);
        assertThat(problems("", "'redirect': { 'to': 'https://a.example:8080/x' }", "", ""))
                .isEmpty();
    }

    @Test
    void whatOneOfItsPathsHasIsThere() {
        String shop = "'redirect': { 'to': '/x/:shop/:item' }";
        assertThat(problems("", "", shop, shop)).isEmpty();
        String none = "'redirect': { 'to': '/x/:id' }";
        assertThat(problems("", "", none, none))
                .extracting(SnapshotProblem::pointer)
                .containsExactlyInAnyOrder(
                        "/router/0/route/1/plugin/redirect/to", "/router/1/route/0/plugin/redirect/to");
    }
}
