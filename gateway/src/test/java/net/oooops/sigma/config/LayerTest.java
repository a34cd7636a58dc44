package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several files of which the later are stronger. */
class LayerTest {
    private static final String FIRST = """
            {
              'proxy-server': { 'http': [{ 'id': 'a', 'port': 1, 'desc': 'first' }, { 'id': 'b', 'port': 2 }] },
              'limits': { 'connections': 10, 'header-count': 20 },
              'router': [
                { 'id': 'r', 'proxy-server-id': 'a', 'virtual-host': ['a.example', 'b.example'], 'route': [
                  { 'id': 'one', 'path': '/one', 'proxy-pass-id': 'p' },
                  { 'id': 'two', 'path': '/two', 'proxy-pass-id': 'p' }
                ] }
              ],
              'proxy-pass': [{ 'id': 'p', 'upstream-id': 'u' }],
              'upstream': [{ 'id': 'u', 'nodes': ['http://a:1', 'http://b:1'] }]
            }
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ConfigReader reader = new ConfigReader(TestPlugins.schemas());

    private ConfigResult read(String... layers) {
        List<Layer> all = new ArrayList<>();
        for (String layer : layers) {
            byte[] json = layer.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            all.add(Layer.of("layer " + (all.size() + 1), json, folder));
        }
        return reader.read(all);
    }

    private static SigmaConfig config(ConfigResult result) {
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        return ((ConfigResult.Valid) result).config();
    }

    private static String problems(ConfigResult result) {
        return ((ConfigResult.Invalid) result).text("unnamed");
    }

    @Test
    void objectsAreMergedDeeplyAndAnythingElseReplaced() {
        SigmaConfig config = config(
                read(FIRST, "{'limits': {'connections': 30}, 'router': [{'id': 'r', 'virtual-host': ['c.example']}]}"));
        assertThat(config.listeners().getFirst().limits().connectionsMax()).isEqualTo(30);
        assertThat(config.listeners().getFirst().limits().headerCountMax()).isEqualTo(20);
        assertThat(config.routers().getFirst().virtualHosts()).containsExactly("c.example");
        assertThat(config.routers().getFirst().routes()).hasSize(2);
    }

    @Test
    void thingsAreFoundByTheirIds() {
        SigmaConfig config = config(read(FIRST, """
                {
                  'proxy-server': { 'http': [{ 'id': 'c', 'port': 3 }, { 'id': 'b', 'port': 22 }] },
                  'router': [{ 'id': 'r', 'route': [{ 'id': 'two', 'path': '/2' }, { 'id': 'three', 'path': '/3', 'proxy-pass-id': 'p' }] }],
                  'upstream': [{ 'id': 'u', 'nodes': ['http://c:1'] }]
                }
                """));
        assertThat(config.listeners()).extracting(ListenerConfig::id).containsExactly("a", "b", "c");
        assertThat(config.listeners()).extracting(ListenerConfig::port).containsExactly(1, 22, 3);
        assertThat(config.routers().getFirst().routes())
                .extracting(RouteConfig::path)
                .containsExactly("/one", "/2", "/3");
        assertThat(config.upstreams().getFirst().nodes())
                .extracting(NodeConfig::host)
                .containsExactly("c");
    }

    @Test
    void oneThingIsAsGoodAsAListOfOne() {
        String one = "{'proxy-server': {'http': {'id': 'a', 'port': 11}}}";
        assertThat(config(read(FIRST, one)).listeners())
                .extracting(ListenerConfig::port)
                .containsExactly(11, 2);
        assertThat(config(read(one, "{'proxy-server': {'http': {'desc': 'said later'}}}"))
                        .listeners()
                        .getFirst()
                        .desc())
                .isEqualTo("said later");
        assertThat(config(read(one, "{'proxy-server': {'http': {'id': 'b', 'port': 12}}}"))
                        .listeners())
                .extracting(ListenerConfig::port)
                .containsExactly(11, 12);
        assertThat(config(read(one, "{'proxy-server': {'http': [{'id': 'a', 'port': 12}]}}"))
                        .listeners())
                .extracting(ListenerConfig::port)
                .containsExactly(12);
    }

    @Test
    void anEmptyArrayTakesAllAway() {
        assertThat(config(read(FIRST, "{'router': []}")).routers()).isEmpty();
    }

    @Test
    void theLastIsTheStrongest() {
        String second = "{'limits': {'connections': 30}}";
        assertThat(config(read(FIRST, second, "{'limits': {'connections': 40}}"))
                        .listeners()
                        .getFirst()
                        .limits()
                        .connectionsMax())
                .isEqualTo(40);
    }

    @Test
    void problemsNameTheLayerTheyAreIn() {
        assertThat(problems(read(FIRST, "{'limits': {'connections': 0}, 'upstream': [{'id': 'u', 'nodes': []}]}")))
                .isEqualTo("layer 2:1:28 /limits/connections: 0 (expected: >= 1)\n"
                        + "layer 2:1:66 /upstream/0/nodes: 0 entries (expected: at least 1)\n");
        assertThat(problems(read(FIRST, "{'limits': [}"))).startsWith("layer 2:1:13 /limits: ]".replace("]", "}"));
    }

    @Test
    void eachIsAnObject() {
        assertThat(problems(read("[]", "5"))).isEqualTo("""
                layer 1:1:1: an array (expected: an object)
                layer 2:1:1: no JSON object (expected: one, which begins with {; YAML is read from files named .yaml or .yml)
                """);
    }

    @Test
    void eachMayIncludeFilesThatOthersDo() throws IOException {
        Files.writeString(folder.resolve("more.json"), "{\"limits\": {\"connections\": 50}}");
        String including = "{'include': 'more.json'}";
        assertThat(config(read(
                                FIRST.replace("'limits'", "'include': 'more.json', 'timeouts'")
                                        .replace("'connections': 10, 'header-count': 20", ""),
                                including))
                        .listeners()
                        .getFirst()
                        .limits()
                        .connectionsMax())
                .isEqualTo(50);
    }

    @Test
    void pathsAreRelativeToTheFolderOfTheirLayer() throws IOException {
        Path first = Files.createDirectories(folder.resolve("first"));
        Path second = Files.createDirectories(folder.resolve("second"));
        Files.writeString(first.resolve("page"), "first");
        Files.writeString(second.resolve("page"), "second");
        Path a = Files.writeString(
                first.resolve("sigma.json"), FIRST.replace('\'', '"').replaceFirst("\\{", """
                { "plugins": { "error-pages": {
                  "404": { "content-type": "text/plain", "file": "page" }, "503": { "content-type": "text/plain", "file": "page" }
                } },"""));
        Path b = Files.writeString(second.resolve("sigma.json"), """
                { "plugins": { "error-pages": { "503": { "file": "page" } } } }""");
        ConfigResult result = reader.read(List.of(Layer.of(a), Layer.of(b)));
        assertThat(config(result).errorPages().get(404)).isEqualTo(new ErrorPage("text/plain", "first"));
        assertThat(config(result).errorPages().get(503)).isEqualTo(new ErrorPage("text/plain", "second"));
        assertThat(((ConfigResult.Valid) result).files())
                .containsExactly(a, b, first.resolve("page"), second.resolve("page"));
    }
}
