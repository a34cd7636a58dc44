package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.api.SettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts that are never shown; what can be wrong with where they are stands in the golden files. */
class SecretReaderTest {
    private static final String VALUE = "Sesame \"open\" \u00e9";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ConfigReader reader =
            new ConfigReader(TestPlugins.schemas()).in(name -> name.equals("TOKEN") ? VALUE : null);

    private ConfigResult read(String desc, String more) {
        return read(reader, desc, more);
    }

    private ConfigResult read(ConfigReader by, String desc, String more) {
        String json = """
                { "proxy-server": { "http": { "id": "web", "port": 1, "desc": %s %s } } }
                """.formatted(desc, more);
        return by.read(json.getBytes(StandardCharsets.UTF_8), folder);
    }

    private static String problems(ConfigResult result) {
        String text = ((ConfigResult.Invalid) result).text("f");
        assertThat(text).doesNotContainIgnoringCase("sesame").doesNotContain("open");
        return text;
    }

    private static String desc(ConfigResult result) {
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        return ((ConfigResult.Valid) result).config().listeners().getFirst().desc();
    }

    @ParameterizedTest
    @CsvSource({"a, a", "'a\n', a", "'a\r\n', a", "'a\n\n', 'a\n'", "'\na', '\na'", "'', ''", "'${TOKEN}', '${TOKEN}'"})
    void oneOfAFileIsItsContentWithoutTheLineEnd(String content, String value) throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), content);
        ConfigResult result = read("{\"$file\": \"secret\"}", "");
        assertThat(desc(result)).isEqualTo(value);
        assertThat(((ConfigResult.Valid) result).files()).containsExactly(file);
    }

    @Test
    void oneOfTheEnvironmentIsAsItIs() {
        assertThat(desc(read("{\"$env\": \"TOKEN\"}", ""))).isEqualTo(VALUE);
        assertThat(desc(read("{\"$env\": \"${GONE:-TOKEN}\"}", ""))).isEqualTo(VALUE);
    }

    @Test
    void aFileMayBeOf64KiB() throws IOException {
        Path file = folder.resolve("secret");
        Files.writeString(file, "s".repeat(SecretReader.FILE_BYTES_MAX));
        assertThat(desc(read("{\"$file\": \"secret\"}", ""))).hasSize(SecretReader.FILE_BYTES_MAX);
        Files.writeString(file, "s".repeat(SecretReader.FILE_BYTES_MAX + 1));
        assertThat(problems(read("{\"$file\": \"secret\"}", "")))
                .isEqualTo("f:1:73 /proxy-server/http/desc/$file: \"secret\", which is longer"
                        + " (expected: a file of at most 64 KiB)\n");
    }

    /** Nobody may ever write into it, and whoever reads would wait. */
    @Test
    @Timeout(30)
    void aPipeIsNotRead() throws Exception {
        Path pipe = folder.resolve("secret");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertThat(problems(read("{\"$file\": \"secret\"}", "")))
                .isEqualTo("f:1:73 /proxy-server/http/desc/$file: \"secret\", which is no file (expected: a file)\n");
    }

    /** Wherever a value is judged, shown or compared with others. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'id': 'web', 'port': {'$env': 'TOKEN'}",
                "'id': {'$env': 'TOKEN'}, 'port': 1",
                "'id': 'web', 'port': 1, 'timeouts': {'header': {'$env': 'TOKEN'}}",
                "'id': 'web', 'port': 1, 'http2': {'$env': 'TOKEN'}",
                "'id': 'web', 'port': 1, 'plugin': {'x-frame': {'$env': 'TOKEN'}}",
                "'id': 'web', 'port': 1, 'plugin': {'rewrite-path': {'regexp': '(', 'replacement': {'$env': 'TOKEN'}}}",
            })
    void noProblemShowsOne(String server) {
        String json = "{\"proxy-server\": {\"http\": {%s}}}".formatted(server.replace('\'', '"'));
        assertThat(problems(reader.read(json.getBytes(StandardCharsets.UTF_8), folder)))
                .isNotEmpty();
    }

    @Test
    void referencesShowNone() {
        String json = """
                {
                  "proxy-server": { "http": { "id": "web", "port": 1 } },
                  "router": [
                    { "id": "a", "proxy-server-id": { "$env": "TOKEN" } },
                    { "id": "b", "proxy-server-id": "web", "virtual-host": [{ "$env": "TOKEN" }] }
                  ],
                  "upstream": [{ "id": "u", "nodes": [{ "$env": "TOKEN" }, { "url": { "$env": "TOKEN" } }] }]
                }
                """;
        assertThat(problems(reader.read(json.getBytes(StandardCharsets.UTF_8), folder)))
                .contains("f:4:37 /router/0/proxy-server-id: (secret) (expected: ");
    }

    @Test
    void aPluginThatShowsAPartIsNotQuoted() {
        ConfigReader trying = new ConfigReader(TestPlugins.schemas(), (name, settings, protocol) -> {
                    throw new SettingsException("/replacement", "the part Ses", "not " + VALUE);
                })
                .in(name -> VALUE);
        assertThat(problems(read(trying, "\"\"", """
                        , "plugin": { "rewrite-path": { "regexp": "a", "replacement": { "$env": "A" } } }"""))).contains("replacement: (secret) (expected: not (secret))");
    }

    @Test
    void textsForUsersAreShownWithoutThem() {
        Secrets secrets = new Secrets(List.of(VALUE, "", "secret", "Ab\n"));
        assertThat(secrets.hide("a " + VALUE + " and secret of ab\n, Ab\\u000a; Secret"))
                .isEqualTo("a (secret) and (secret) of (secret), (secret); Secret");
        assertThat(secrets.hide("sesame \"open\" \u00e9")).isEqualTo("(secret)");
        assertThat(Secrets.NONE.hide("a")).isEqualTo("a");
    }

    @Test
    void longOnesAreHiddenWhereTheyAreCutToo() {
        Secrets secrets = new Secrets(List.of("x".repeat(1000)));
        assertThat(secrets.hide(Json.quoted("x".repeat(1000)))).isEqualTo("\"(secret)\"");
    }

    @Test
    void theRestStaysAsItIs() {
        ConfigResult.Valid valid = (ConfigResult.Valid) read("{\"$env\": \"TOKEN\"}", "");
        assertThat(valid.warnings().getFirst().text("f")).contains("\"web\"");
        assertThat(valid.secrets().hide("is " + VALUE)).isEqualTo("is (secret)");
    }
}
