package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

    /** Takes a secret, and has settings of which its schema says nothing. */
    private static final String PLUGIN = """
            {"type": "object", "properties": {
              "key": {"type": "string", "x-secret": true},
              "name": {"type": "string"},
              "keys": {"anyOf": [{"const": "none"}, {"type": "array", "items": {"type": "string", "x-secret": true}}]}}}
            """;

    private final ConfigReader reader =
            new ConfigReader(schemas()).in(name -> name.equals("EMPTY") ? "" : name.equals("TOKEN") ? VALUE : null);

    private static Map<String, String> schemas() {
        Map<String, String> schemas = new TreeMap<>(TestPlugins.schemas());
        schemas.put("login", PLUGIN);
        return schemas;
    }

    private ConfigResult read(String key, String more) {
        return read(reader, key, more);
    }

    private ConfigResult read(ConfigReader by, String key, String more) {
        String json = """
                { "proxy-server": { "http": { "id": "web", "port": 1, "plugin": { "login": { "key": %s } %s } } } }
                """.formatted(key, more);
        return by.read(json.getBytes(StandardCharsets.UTF_8), folder);
    }

    private ConfigResult readServer(String server) {
        String json = "{\"proxy-server\": {\"http\": {%s}}}".formatted(server.replace('\'', '"'));
        return reader.read(json.getBytes(StandardCharsets.UTF_8), folder);
    }

    private static String problems(ConfigResult result) {
        String text = ((ConfigResult.Invalid) result).text("f");
        assertThat(text).doesNotContainIgnoringCase("sesame").doesNotContain("open");
        return text;
    }

    private static String key(ConfigResult result) {
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        Object settings = ((ConfigResult.Valid) result)
                .config()
                .listeners()
                .getFirst()
                .plugins()
                .getFirst()
                .settings();
        return String.valueOf(((Map<?, ?>) settings).get("key"));
    }

    @ParameterizedTest
    @CsvSource({"a, a", "'a\n', a", "'a\r\n', a", "'a\n\n', 'a\n'", "'\na', '\na'", "'${TOKEN}', '${TOKEN}'"})
    void oneOfAFileIsItsContentWithoutTheLineEnd(String content, String value) throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), content);
        ConfigResult result = read("{\"$file\": \"secret\"}", "");
        assertThat(key(result)).isEqualTo(value);
        assertThat(((ConfigResult.Valid) result).files()).containsExactly(file);
    }

    @Test
    void oneOfTheEnvironmentIsAsItIs() {
        assertThat(key(read("{\"$env\": \"TOKEN\"}", ""))).isEqualTo(VALUE);
        assertThat(key(read("{\"$env\": \"${GONE:-TOKEN}\"}", ""))).isEqualTo(VALUE);
    }

    /** A file caught while it is written anew: who compares with nothing would let everybody in. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "\r\n"})
    void anEmptyOneIsAProblem(String content) throws IOException {
        Files.writeString(folder.resolve("secret"), content);
        assertThat(problems(read("{\"$file\": \"secret\"}", "")))
                .isEqualTo("f:1:95 /proxy-server/http/plugin/login/key/$file: the file \"secret\", which is empty"
                        + " (expected: a secret, of one character at least)\n");
        assertThat(problems(read("{\"$env\": \"EMPTY\"}", "")))
                .isEqualTo("f:1:94 /proxy-server/http/plugin/login/key/$env: the variable \"EMPTY\", which is empty"
                        + " (expected: a secret, of one character at least)\n");
    }

    @Test
    void aFileMayBeOf64KiB() throws IOException {
        Path file = folder.resolve("secret");
        Files.writeString(file, "s".repeat(SecretReader.FILE_BYTES_MAX));
        assertThat(key(read("{\"$file\": \"secret\"}", ""))).hasSize(SecretReader.FILE_BYTES_MAX);
        Files.writeString(file, "s".repeat(SecretReader.FILE_BYTES_MAX + 1));
        assertThat(problems(read("{\"$file\": \"secret\"}", "")))
                .isEqualTo("f:1:95 /proxy-server/http/plugin/login/key/$file: \"secret\", which is longer"
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
                .isEqualTo("f:1:95 /proxy-server/http/plugin/login/key/$file: \"secret\", which is no file"
                        + " (expected: a file)\n");
    }

    /** What names something shows, and so does what is compared with what there is. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'id': {'$env': 'TOKEN'}, 'port': 1",
                "'id': 'web', 'port': {'$env': 'TOKEN'}",
                "'id': 'web', 'port': 1, 'host': {'$env': 'TOKEN'}",
                "'id': 'web', 'port': 1, 'desc': {'$env': 'TOKEN'}",
                "'id': 'web', 'port': 1, 'timeouts': {'header': {'$env': 'TOKEN'}}",
                "'id': 'web', 'port': 1, 'http2': {'$env': 'TOKEN'}",
                "'id': 'web', 'port': 1, 'plugin': {'x-frame': {'$env': 'TOKEN'}}",
                "'id': 'web', 'port': 1, 'plugin': {'$env': 'TOKEN'}",
                "'id': 'web', 'port': 1, 'plugin': {'cors': {'allow-origins': [{'$env': 'TOKEN'}]}}",
                "'id': 'web', 'port': 1, 'plugin': {'login': {'name': {'$env': 'TOKEN'}}}",
                "'id': 'web', 'port': 1, 'plugin': {'login': {'other': {'$env': 'TOKEN'}}}",
                "'id': 'web', 'port': 1, 'plugin': {'login': {'other': [{'deep': {'$env': 'TOKEN'}}]}}",
            })
    void whereValuesShowNoneIsTaken(String server) {
        assertThat(problems(readServer(server)))
                .containsPattern(
                        "^f:1:[0-9]+ /proxy-server/http/[^:]*: a secret, \"\\$env\" \\(expected: none here, where"
                                + " Sigma shows what is written; \\$\\{NAME} takes a variable that is no secret\\)\n$");
    }

    @Test
    void whatIsNotTakenIsNotReadEither() throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), VALUE);
        ConfigResult result = readServer("'id': {'$file': 'secret'}, 'port': 1, 'desc': {'$env': 'GONE'}");
        assertThat(problems(result)).contains("/http/id: a secret").contains("/http/desc: a secret");
        assertThat(result.files()).doesNotContain(file);
    }

    @Test
    void underAnUnknownKeyThatIsTheProblem() {
        assertThat(problems(readServer("'id': 'web', 'port': 1, 'dsc': {'$env': 'TOKEN'}")))
                .contains("unknown key \"dsc\"")
                .doesNotContain("a secret");
        assertThat(problems(readServer("'id': 'web', 'port': 1, 'plugn': {'login': {'key': {'$env': 'TOKEN'}}}")))
                .contains("unknown key \"plugn\"")
                .doesNotContain("a secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'$env': 'TOKEN'}",
                "'a', 'keys': [{'$env': 'TOKEN'}]",
            })
    void aPluginSaysWhatItTakes(String key) {
        assertThat(read(key.replace('\'', '"'), "")).isInstanceOf(ConfigResult.Valid.class);
    }

    /** Wherever a value is judged that may be one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'sticky': {'key': {'$file': 'short'}}",
                "'sticky': {'key': {'$file': 'long'}}",
                "'health': {'active': {'tcp': {'send': {'$file': 'long'}}}}",
                "'health': {'active': {'tcp': {'send-hex': {'$file': 'short'}}}}",
            })
    void noProblemShowsOne(String upstream) throws IOException {
        Files.writeString(folder.resolve("short"), "sesame");
        Files.writeString(folder.resolve("long"), "sesame".repeat(1000));
        String json = """
                { "proxy-server": { "http": { "id": "web", "port": 1 } },
                  "upstream": [{ "id": "u", "nodes": ["http://a"], %s }] }
                """.formatted(upstream.replace('\'', '"'));
        assertThat(problems(reader.read(json.getBytes(StandardCharsets.UTF_8), folder)))
                .contains(": (secret) (expected: ")
                .doesNotContain("6000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"(sesame", "sesame{2,1}", "[sesame"})
    void aPatternThatIsOneIsNotShown(String pattern) throws IOException {
        Files.writeString(folder.resolve("pattern"), pattern);
        String json = """
                { "proxy-server": { "http": { "id": "web", "port": 1 } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [
                    { "id": "a", "path": "/*", "proxy-pass-id": "p",
                      "header": [{ "name": "x-token", "regexp": { "$file": "pattern" } }] }] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://a"] }] }
                """;
        assertThat(problems(reader.read(json.getBytes(StandardCharsets.UTF_8), folder)))
                .isEqualTo("f:4:49 /router/0/route/0/header/0/regexp: (secret)"
                        + " (expected: a regular expression that compiles)\n");
    }

    /** Whoever adds a place has looked at all that shows what stands there: messages, explain, the log, answers of the admin server. */
    @Test
    void thesePlacesTakeOne() {
        Json schema = new ConfigSchema(Map.of()).root();
        List<String> places = new ArrayList<>();
        collect(schema, places);
        assertThat(places)
                .containsExactlyInAnyOrder(
                        "/properties/upstream/items/properties/sticky/properties/key",
                        "/properties/redis/items/properties/password",
                        "/$defs/active-check/properties/tcp/properties/send",
                        "/$defs/active-check/properties/tcp/properties/expect",
                        "/$defs/hex",
                        "/$defs/match/properties/exact",
                        "/$defs/match/properties/prefix",
                        "/$defs/match/properties/regexp");
    }

    private static void collect(Json schema, List<String> places) {
        if (schema.flag(SecretReader.KEYWORD, false)) {
            places.add(schema.pointer());
        }
        for (Json inner : schema.kind() == Json.Kind.OBJECT ? schema.members().values() : schema.items()) {
            collect(inner, places);
        }
    }

    /** As a log or a crash would show it. */
    @Test
    void recordsShowNoneWhereTheyAreShown() throws IOException {
        Files.writeString(folder.resolve("key"), "Sesame, for sixteen bytes");
        String json = """
                { "proxy-server": { "http": { "id": "web", "port": 1, "plugin": { "login": { "key": { "$env": "TOKEN" } } } } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [
                    { "id": "a", "path": "/*", "proxy-pass-id": "p",
                      "header": [{ "name": "x-token", "exact": { "$env": "TOKEN" } }],
                      "query": [{ "name": "token", "prefix": { "$env": "TOKEN" } }] }] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [
                    { "id": "u", "nodes": ["http://a"], "sticky": { "key": { "$file": "key" } } },
                    { "id": "v", "nodes": ["http://b"], "health": { "active": {
                      "tcp": { "send": { "$env": "TOKEN" }, "expect": { "$env": "TOKEN" } } } } }] }
                """;
        ConfigResult result = reader.read(json.getBytes(StandardCharsets.UTF_8), folder);
        assertThat(result).as(result::toString).isInstanceOf(ConfigResult.Valid.class);
        ConfigResult.Valid valid = (ConfigResult.Valid) result;
        String shown = valid.config() + " " + valid;
        assertThat(shown)
                .contains("x-token")
                .doesNotContain(VALUE, "Sesame")
                .doesNotContain(HexFormat.of().formatHex(VALUE.getBytes(StandardCharsets.UTF_8)))
                .doesNotContain(Arrays.toString(VALUE.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aPluginThatShowsAPartIsNotQuoted() {
        ConfigReader trying = new ConfigReader(schemas(), (name, settings, protocol) -> {
                    throw new SettingsException("/key", "the part Ses", "not " + VALUE);
                })
                .in(name -> VALUE);
        assertThat(problems(read(trying, "{\"$env\": \"A\"}", "")))
                .contains("/login/key: (secret) (expected: not (secret))");
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
