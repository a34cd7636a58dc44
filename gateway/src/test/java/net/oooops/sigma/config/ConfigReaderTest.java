package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.oooops.sigma.api.SettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigReaderTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ConfigReader reader = new ConfigReader(TestPlugins.schemas());

    private String text(ConfigResult result) {
        String folders = folder + "/|" + TestFiles.path("golden") + "/";
        return ((ConfigResult.Invalid) result).text("sigma.json").replaceAll(folders, "");
    }

    @Test
    void aMissingFileIsAProblem() {
        assertThat(text(reader.read(folder.resolve("gone.json"))))
                .isEqualTo("gone.json: no such file (expected: a file that can be read)\n");
    }

    @Test
    void aFolderIsAProblem() {
        assertThat(text(reader.read(folder))).isEqualTo(folder + ": a folder (expected: a file that can be read)\n");
    }

    @Test
    void aFileIsReadToItsBoundOnly() throws IOException {
        byte[] spaces = new byte[ConfigReader.FILE_BYTES_MAX];
        Arrays.fill(spaces, (byte) ' ');
        Path file = folder.resolve("large.json");
        Files.write(file, spaces);
        assertThat(text(reader.read(file))).contains("an empty file");
        Files.write(file, new byte[] {' '}, java.nio.file.StandardOpenOption.APPEND);
        assertThat(text(reader.read(file)))
                .isEqualTo("large.json: a file of more bytes (expected: at most 33554432 bytes)\n");
    }

    @Test
    void filesNamedInItAreRelativeToItsFolder() throws IOException {
        Files.writeString(folder.resolve("page.txt"), "page");
        String json = TestFiles.text("golden/everything.json");
        Path file = folder.resolve("sigma.json");
        Files.writeString(file, json);
        ConfigResult.Valid valid = (ConfigResult.Valid) reader.read(file);
        assertThat(valid.config().errorPages().get(503)).isEqualTo(new ErrorPage("text/plain", "page"));
        assertThat(valid.files()).containsExactly(file, folder.resolve("page.txt"));
    }

    @Test
    void aPageIsReadToItsBoundOnly() throws IOException {
        Files.write(folder.resolve("page.txt"), new byte[PageReader.PAGE_BYTES_MAX + 1]);
        byte[] json = TestFiles.text("golden/everything.json").getBytes(StandardCharsets.UTF_8);
        assertThat(text(reader.read(json, folder)))
                .contains("\"page.txt\", which is longer (expected: a file of at most 1 MiB)");
    }

    @ParameterizedTest
    @CsvSource({
        "/proxy-server/http/0/plugin/hsts/max-age, 14, 24",
        "/router/0/route/1/path, 161, 19",
        "/router/0/route/1/gone, 159, 9",
        "/router/0/route/99, 109, 16",
        "/gone/gone, 1, 1",
        "'', 1, 1"
    })
    void placesCanBeAskedForLater(String pointer, int line, int column) {
        ConfigResult.Valid valid = (ConfigResult.Valid) reader.read(TestFiles.path("golden/everything.json"));
        String file = TestFiles.path("golden/everything.json").toString();
        assertThat(valid.placeOf().apply(pointer)).isEqualTo(new Place(file, line, column, pointer));
    }

    @Test
    void pluginsObjectToTheirSettingsAtTheirPlace() {
        List<String> tried = new ArrayList<>();
        ConfigReader trying = new ConfigReader(TestPlugins.schemas(), (name, settings, protocol) -> {
            tried.add(name + " " + settings);
            if (name.equals("hsts")) {
                throw new SettingsException("/max-age", "31536000", "a day at most");
            }
        });
        assertThat(text(trying.read(TestFiles.path("golden/everything.json"))))
                .isEqualTo(
                        "everything.json:14:24 /proxy-server/http/0/plugin/hsts/max-age: 31536000 (expected: a day at most)\n");
        assertThat(tried)
                .containsExactly(
                        "x-frame DENY",
                        "hsts {max-age=31536000, include-sub-domains=true}",
                        "hsts {include-sub-domains=true}",
                        "csp {directive=[{name=default-src, value='self'}]}",
                        "rewrite-path {regexp=^/test/, replacement=/}",
                        "x-frame SAMEORIGIN");
    }

    @Test
    void pluginsAreNotAskedAboutWhatTheirSchemaRefuses() {
        List<String> tried = new ArrayList<>();
        new ConfigReader(TestPlugins.schemas(), (name, settings, protocol) -> tried.add(name + " " + settings))
                .read(TestFiles.path("golden/plugins.json"));
        assertThat(tried).as("those whose faults may all be left out").containsExactly("hsts {}", "hsts {}");
    }

    @Test
    void aReaderReadsAgain() {
        Path sample = TestFiles.path("golden/sample.json");
        ConfigResult.Valid first = (ConfigResult.Valid) reader.read(sample);
        assertThat(reader.read(TestFiles.path("golden/nothing.json"))).isInstanceOf(ConfigResult.Invalid.class);
        assertThat(((ConfigResult.Valid) reader.read(sample)).config()).isEqualTo(first.config());
    }

    @Test
    void theComposedSchemaHoldsThePlugins() throws JsonProcessingException {
        JsonNode schema = new ObjectMapper().readTree(reader.composedSchema());
        JsonNode plugins = schema.at("/$defs/plugin/properties");
        assertThat(plugins.properties())
                .extracting(Map.Entry::getKey)
                .containsExactlyElementsOf(TestPlugins.schemas().keySet());
        assertThat(plugins.at("/x-frame/anyOf/0/enum/0").asText()).isEqualTo("DENY");
        assertThat(plugins.at("/hsts/properties/include-sub-domains/$ref").asText())
                .isEqualTo("#/$defs/plugin/properties/hsts/$defs/flag");
        assertThat(plugins.at("/hsts").has("$id")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\": \"object\", \"if\": {}} | keyword \"if\" (expected: one of $comment",
                "{\"properties\": {\"a\": {\"items\": {\"not\": {}}}}} | /properties/a/items: keyword \"not\"",
                "{\"properties\": {\"a\": true}} | /properties/a: true (expected: a schema object)",
                "{\"$ref\": \"other.json\"} | /$ref: \"other.json\" (expected: a reference that begins with #)",
                "[] | an array (expected: a schema object)",
                "{\"properties\": 3} | /properties: 3 (expected: object)",
                "{\"minimum\": \"1\"} | /minimum: \"1\" (expected: number)",
                "{\"properties\": {\"a\": {\"$ref\": \"#/$defs/none\"}}} | $ref: \"#/$defs/plugin/properties/mine/$defs/none\"",
                "{\"$ref\": \"#\"} | (expected: no reference to itself)",
                "{\"pattern\": \"(\"} | /pattern: \"(\" (expected: a regular expression: ",
                "{\"type\": } | JSON:1:10"
            })
    void aPluginsSchemaThatCannotBeUsedStopsThatPluginAlone(String schema, String message) {
        Map<String, String> schemas = new TreeMap<>(TestPlugins.schemas());
        schemas.put("mine", schema);
        ComposedSchema composed = new ComposedSchema(schemas, Map.of("mine", "Mine in a.jar"));
        ConfigReader reader = new ConfigReader(composed, PluginTrial.NONE);

        assertThat(reader.read(TestFiles.path("golden/sample.json"))).isInstanceOf(ConfigResult.Valid.class);
        assertThat(composed.unusable()).containsOnlyKeys("mine");

        String json = """
                {"proxy-server": {"http": {"id": "s", "port": 1, "plugin": {"mine": {"x": 1}}}}, "other": 1}""";
        assertThat(reader.read(
                        json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath()))
                .isInstanceOfSatisfying(
                        ConfigResult.Invalid.class,
                        invalid -> assertThat(invalid.text("f"))
                                .contains(
                                        "f:1:61 /proxy-server/http/plugin/mine: the schema of the plugin \"mine\" (of Mine in a.jar): ")
                                .contains(message)
                                .contains("unknown key \"other\"")
                                .hasLineCount(2));
    }

    @Test
    void whereAnyPluginMayBeOnlyThatIsNoProblem() {
        ConfigReader reader =
                new ConfigReader(new ComposedSchema(TestPlugins.schemas()).withAnyPlugin(), PluginTrial.NONE);
        String json = """
                {"proxy-server": {"http": {"id": "s", "port": 1, "plugin": {"unknown": {"x": 1}, "x-frame": 3}}}, "other": 1}""";

        assertThat(reader.read(
                        json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath()))
                .isInstanceOfSatisfying(
                        ConfigResult.Invalid.class,
                        invalid -> assertThat(invalid.text("f"))
                                .contains("/proxy-server/http/plugin/x-frame: 3")
                                .contains("unknown key \"other\"")
                                .hasLineCount(2));
    }
}
