package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import net.oooops.sigma.api.SettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are included; what can be wrong with one stands in the golden files. */
class IncludeTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ConfigReader reader = new ConfigReader(TestPlugins.schemas());

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text.replace('\'', '"'));
    }

    private String problems(Path file) {
        return ((ConfigResult.Invalid) reader.read(file)).text("unnamed").replace(folder + "/", "");
    }

    private static ConfigResult.Valid valid(ConfigResult result) {
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        return (ConfigResult.Valid) result;
    }

    @Test
    void allThatIsIncludedIsOneConfiguration() {
        Path file = TestFiles.path("golden/include.json");
        ConfigResult.Valid valid = valid(reader.read(file));
        SigmaConfig config = valid.config();
        assertThat(config.listeners()).extracting(ListenerConfig::id).containsExactly("public", "second", "third");
        assertThat(config.upstreams()).extracting(UpstreamConfig::id).containsExactly("unused", "shop", "old-shop");
        assertThat(config.errorPages().keySet()).containsExactlyInAnyOrder(404, 503);
        assertThat(config.errorPages().get(503)).isEqualTo(new ErrorPage("text/plain", "here\n"));
        assertThat(config.listeners().getFirst().limits().connectionsMax()).isEqualTo(17);
        Path included = file.resolveSibling("included");
        assertThat(valid.files())
                .containsExactly(
                        file,
                        included.resolve("conf.d"),
                        included.resolve("conf.d/10-pages.json"),
                        included.resolve("conf.d/20-shop.json"),
                        included.resolve("more.json"),
                        included.resolve("deep/one-more.json"),
                        included.resolve("conf.d/../page-here.txt"));
    }

    /** What is found wrong later is found by its place in the whole, and told by that in its file. */
    @Test
    void placesAreThoseOfTheirFiles() {
        Path file = TestFiles.path("golden/include.json");
        ConfigResult.Valid valid = valid(reader.read(file));
        String shop = file.resolveSibling("included/conf.d/20-shop.json").toString();
        assertThat(valid.placeOf().apply("/upstream/1/nodes/0/gone"))
                .isEqualTo(new Place(shop, 7, 31, "/upstream/0/nodes/0/gone"));
        assertThat(valid.placeOf().apply("/proxy-server/http/0/id"))
                .isEqualTo(new Place(file.toString(), 4, 37, "/proxy-server/http/id"));
    }

    @Test
    void filesAreCalledAsWhoeverNamesTheFirstWouldCallThem() {
        Path whole = TestFiles.path("golden/include.json");
        Path here = Path.of("").toAbsolutePath();
        Path relative = here.relativize(whole);
        assertThat(valid(reader.read(relative)).warnings())
                .extracting(warning -> warning.place().file())
                .contains(
                        relative.toString(),
                        relative.resolveSibling("included/conf.d/20-shop.json").toString());
    }

    @Test
    void pluginsObjectInTheirFile() throws IOException {
        write("shop.json", "{'proxy-server': {'http': [{'id': 'b', 'port': 2, 'plugin': {'x-frame': 'DENY'}}]}}");
        Path file = write("sigma.json", "{'include': 'shop.json', 'proxy-server': {'http': [{'id': 'a', 'port': 1}]}}");
        ConfigReader trying = new ConfigReader(TestPlugins.schemas(), (name, settings, protocol) -> {
            throw new SettingsException("", "DENY", "something else");
        });
        assertThat(((ConfigResult.Invalid) trying.read(file)).text("unnamed"))
                .isEqualTo(folder
                        + "/shop.json:1:73 /proxy-server/http/0/plugin/x-frame: DENY (expected: something else)\n");
        PluginConfig plugin =
                valid(reader.read(file)).config().listeners().get(1).plugins().getFirst();
        assertThat(plugin.place().pointer()).isEqualTo("/proxy-server/http/1/plugin/x-frame");
    }

    @Test
    void theyGoTenDeep() throws IOException {
        for (int i = 1; i <= ConfigFiles.DEPTH_MAX; i++) {
            write(i + ".json", "{'include': '" + (i + 1) + ".json'}");
        }
        Path file = write("sigma.json", "{'include': '1.json', 'proxy-server': {'http': {'id': 'a', 'port': 1}}}");
        write(ConfigFiles.DEPTH_MAX + ".json", "{}");
        assertThat(valid(reader.read(file)).files()).hasSize(ConfigFiles.DEPTH_MAX + 1);

        write(ConfigFiles.DEPTH_MAX + ".json", "{'include': 'last.json'}");
        write("last.json", "{}");
        assertThat(problems(file))
                .isEqualTo(
                        "10.json:1:13 /include: \"last.json\", which is included deeper (expected: at most 10 levels)\n");
    }

    @Test
    void theyAreAThousand() throws IOException {
        for (int i = 0; i < ConfigFiles.FILES_MAX; i++) {
            write("many/" + i + ".json", "{}");
        }
        Path file = write("sigma.json", "{'include': 'many', 'proxy-server': {'http': {'id': 'a', 'port': 1}}}");
        valid(reader.read(file));
        write("many/x.json", "{}");
        assertThat(problems(file))
                .isEqualTo("sigma.json:1:13 /include: more files (expected: at most 1000 that are included)\n");
        assertThat(reader.read(file).files())
                .as("the first one, the folder, and what was read")
                .hasSize(1002);
    }

    @Test
    void togetherTheyMayBeTwiceAsLongAsOne() throws IOException {
        byte[] spaces = new byte[ConfigReader.FILE_BYTES_MAX];
        Arrays.fill(spaces, (byte) ' ');
        spaces[0] = '{';
        spaces[1] = '}';
        Files.write(folder.resolve("a.json"), spaces);
        Files.write(folder.resolve("b.json"), spaces);
        Path file = write(
                "sigma.json", "{'include': ['a.json', 'b.json'], 'proxy-server': {'http': {'id': 'a', 'port': 1}}}");
        assertThat(problems(file))
                .isEqualTo("b.json: a file of more bytes (expected: at most 67108864 in all files together)\n");
        Files.write(folder.resolve("b.json"), Arrays.copyOf(spaces, spaces.length - (int) Files.size(file)));
        assertThat(valid(reader.read(file)).files()).hasSize(3);
    }

    @Test
    void aFileIncludesItself() throws IOException {
        Path file = write("sigma.json", "{'include': './sigma.json'}");
        assertThat(problems(file))
                .startsWith("sigma.json:1:13 /include: \"./sigma.json\", which leads here"
                        + " (expected: no file that includes itself: sigma.json → sigma.json)\n");
    }

    @Test
    void aLinkIsWhatItLeadsTo() throws IOException {
        write("shop.json", "{'upstream': []}");
        Files.createSymbolicLink(folder.resolve("link.json"), folder.resolve("shop.json"));
        Path file = write("sigma.json", "{'include': ['shop.json', 'link.json']}");
        assertThat(problems(file))
                .isEqualTo("sigma.json:1:27 /include/1: \"link.json\" a second time"
                        + " (expected: each file once; sigma.json:1 includes it)\n");
    }

    @Test
    void aScalarGivenTwiceIsToldWithBothPlaces() throws IOException {
        write("shop.json", "{'runtime': {'zone': 'b'}}");
        Path file = write(
                "sigma.json",
                "{'include': ['shop.json'],\n'runtime': {'zone': 'a'},"
                        + " 'proxy-server': {'http': {'id': 'a', 'port': 1}}}");
        assertThat(problems(file))
                .isEqualTo("shop.json:1:22 /runtime/zone: \"b\" (expected: \"a\", as sigma.json:2:21 says)\n");
    }

    /** Files are named in problems. */
    @Test
    void aSecretIsNoPath() throws IOException {
        write("name", "shop.json");
        Path file = write("sigma.json", "{'include': [{'$file': 'name'}]}");
        assertThat(problems(file))
                .isEqualTo(
                        "sigma.json:1:14 /include/0: a secret, \"$file\" (expected: none here, where Sigma shows what is written;"
                                + " ${NAME} takes a variable that is no secret)\n");
    }
}
