package net.oooops.sigma.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.Layer;
import net.oooops.sigma.config.Place;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.config.Problem;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Paths in settings of plugins start from the folder of the file that they stand in. */
class PluginPathsTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(PluginPathsTest.class.getClassLoader());

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeEach
    void files() throws IOException {
        Files.createDirectories(folder.resolve("a/conf.d"));
        Files.createDirectories(folder.resolve("a/www"));
        Files.createDirectories(folder.resolve("b/www"));
        Files.writeString(folder.resolve("a/conf.d/keys"), "shop:" + "0".repeat(64) + "\n");
    }

    private Path write(String name, String json) throws IOException {
        return Files.writeString(folder.resolve(name), json.replace('\'', '"'));
    }

    private static ConfigResult read(Path... layers) {
        ConfigReader reader = new ConfigReader(CATALOG.composedSchema(), CATALOG::tryOut);
        return reader.read(List.of(layers).stream().map(Layer::of).toList());
    }

    private static Map<?, ?> settings(ConfigResult result, int route) {
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        SigmaConfig config = ((ConfigResult.Valid) result).config();
        RouteConfig found = config.routers().getFirst().routes().get(route);
        PluginConfig plugin = found.plugins().getFirst();
        return (Map<?, ?>) plugin.settings();
    }

    private Path whole(String plugin) throws IOException {
        return write("a/sigma.json", """
                {
                  'include': 'conf.d/more.json',
                  'proxy-server': { 'http': { 'id': 's', 'port': 1 } },
                  'router': [{ 'id': 'r', 'proxy-server-id': 's', 'route': [
                    { 'id': 'one', 'path': '/one', 'plugin': { %s } }
                  ] }]
                }
                """.formatted(plugin));
    }

    private void included(String plugin) throws IOException {
        write("a/conf.d/more.json", """
                {
                  'router': [{ 'id': 'r2', 'proxy-server-id': 's', 'virtual-host': 'b.example', 'plugin': { %s } }]
                }
                """.formatted(plugin));
    }

    @Test
    void eachFileHasItsOwnFolder() throws IOException {
        included("'key-auth': { 'file': 'keys' }");
        Path first = whole("'static-resources': { 'root': 'www' }");
        ConfigResult alone = read(first);
        assertThat(settings(alone, 0))
                .isEqualTo(Map.of("root", folder.resolve("a/www").toString()));
        assertThat(((ConfigResult.Valid) alone)
                        .config()
                        .routers()
                        .get(1)
                        .plugins()
                        .getFirst()
                        .settings())
                .isEqualTo(Map.of("file", folder.resolve("a/conf.d/keys").toString()));

        String root =
                "{ 'router': [{ 'id': 'r', 'route': [{ 'id': 'one', 'plugin': { 'static-resources': { %s } } }] }] }";
        Path later = write("b/later.json", root.formatted("'root': 'www'"));
        assertThat(settings(read(first, later), 0))
                .isEqualTo(Map.of("root", folder.resolve("b/www").toString()));
        // What doesn't say the path leaves it where it stands.
        Path other = write("b/other.json", root.formatted("'index': []"));
        assertThat(settings(read(first, other), 0))
                .isEqualTo(Map.of("root", folder.resolve("a/www").toString(), "index", List.of()));
    }

    @Test
    void absoluteOnesStayAsTheyAre() throws IOException {
        included("");
        String root = folder.resolve("b/www").toString();
        assertThat(settings(read(whole("'static-resources': { 'root': '" + root + "' }")), 0))
                .isEqualTo(Map.of("root", root));
    }

    @Test
    void allThatNameFilesDo() throws IOException {
        assertLookedForBesideIt("'key-auth': { 'file': 'none' }", "key-auth/file");
        assertLookedForBesideIt("'basic-auth': { 'file': 'none' }", "basic-auth/file");
        assertLookedForBesideIt("'jwt': { 'jwks-file': 'none', 'audience': [] }", "jwt/jwks-file");
        assertLookedForBesideIt(
                "'jwt': { 'jwks-url': 'https://a.example/k', 'jwks-ca': 'none', 'audience': [] }", "jwt/jwks-ca");
        assertLookedForBesideIt("'static-resources': { 'root': 'none' }", "static-resources/root");
    }

    /** Problems name the place in the file where the path stands, though another layer has moved it. */
    private void assertLookedForBesideIt(String plugin, String pointer) throws IOException {
        included("");
        Path first = whole("");
        Path later = write(
                "b/later.json",
                "{ 'router': [{ 'id': 'r', 'route': [{ 'id': 'one', 'plugin': {\n" + plugin + "\n} }] }] }");
        ConfigResult result = read(first, later);
        assertThat(result).isInstanceOf(ConfigResult.Invalid.class);
        Problem problem = ((ConfigResult.Invalid) result).problems().getFirst();
        Place place = problem.place();
        assertThat(place.file()).isEqualTo(later.toString());
        assertThat(place.line()).isEqualTo(2);
        assertThat(place.pointer()).isEqualTo("/router/0/route/0/plugin/" + pointer);
        assertThat(problem.text("f")).contains(folder.resolve("b/none").toString());
    }
}
