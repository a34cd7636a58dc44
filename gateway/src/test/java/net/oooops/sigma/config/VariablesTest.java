package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Variables of the environment; what can be wrong with one stands in the golden files. */
class VariablesTest {
    private static final Map<String, String> ENVIRONMENT = Map.of(
            "PORT", "8081", "NAME", "web", "EMPTY", "", "TRUE", "true", "WORD", "word", "NUMBER", "17", "LOOKS",
            "${PORT}");

    private final ConfigReader reader = new ConfigReader(TestPlugins.schemas()).in(ENVIRONMENT::get);

    private ConfigResult read(String port, String desc, String more) {
        String json = """
                {
                  "proxy-server": { "http": { "id": "${NAME}", "port": %s, "desc": "%s" %s } },
                  "router": [{ "id": "main", "proxy-server-id": "${NAME:-other}", "route": [] }]
                }
                """.formatted(port, desc, more);
        return reader.read(json.getBytes(StandardCharsets.UTF_8), Path.of(""));
    }

    private ListenerConfig server(String port, String desc, String more) {
        ConfigResult result = read(port, desc, more);
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        return ((ConfigResult.Valid) result).config().listeners().getFirst();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "${NAME} | web",
                "a ${NAME} b | a web b",
                "${NAME}${PORT} | web8081",
                "${GONE:-there} | there",
                "${GONE:-} | ''",
                "${GONE:-a:-b} | a:-b",
                "${EMPTY:-there} | there",
                "${EMPTY} | ''",
                "${NUMBER} | 17",
                "${TRUE} | true",
                "$${NAME} | ${NAME}",
                "$$${NAME} | $${NAME}",
                "${NAME}$${NAME} | web${NAME}",
                "$NAME $ {NAME} $1 | $NAME $ {NAME} $1",
                "${LOOKS} | ${PORT}",
            })
    void textsHaveTheirValues(String written, String meant) {
        assertThat(server("1", written, "").desc()).isEqualTo(meant);
    }

    @Test
    void numbersAreTakenWhereTheSchemaWantsThem() {
        assertThat(server("\"${PORT}\"", "", "").port()).isEqualTo(8081);
        assertThat(server("\"${GONE:-8082}\"", "", "").port()).isEqualTo(8082);
        assertThat(server("1", "", "").id()).isEqualTo("web");
    }

    @Test
    void soAreTrueAndFalseAlsoBesideWords() {
        assertThat(server("1", "", ", \"http2\": \"${GONE:-false}\"").http2()).isEqualTo(ListenerConfig.Http2.NEVER);
        assertThat(server("1", "", ", \"http2\": \"${TRUE}\"").http2()).isEqualTo(ListenerConfig.Http2.TOO);
        assertThat(server("1", "", ", \"http2\": \"${GONE:-only}\"").http2()).isEqualTo(ListenerConfig.Http2.ONLY);
    }

    @Test
    void whatIsInTheirPlaceIsChecked() {
        assertThat(((ConfigResult.Invalid) read("\"${NUMBER}0000\"", "", "")).text("f"))
                .contains("f:2:56 /proxy-server/http/port: \"170000\" (expected: an integer, ");
        assertThat(((ConfigResult.Invalid) read("\"${GONE:-170000}\"", "", "")).text("f"))
                .contains("f:2:56 /proxy-server/http/port: 170000 (expected: <= 65535)");
        assertThat(((ConfigResult.Invalid) read("\"${WORD}\"", "", "")).text("f"))
                .contains("f:2:56 /proxy-server/http/port: \"word\" (expected: an integer)");
    }

    @Test
    void theEnvironmentIsThatOfTheProcess() {
        ConfigResult result = new ConfigReader(Map.of())
                .read(
                        "{\"proxy-server\": {\"http\": {\"id\": \"${SIGMA_GONE_HERE}\", \"port\": 1}}}"
                                .getBytes(StandardCharsets.UTF_8),
                        Path.of(""));
        assertThat(((ConfigResult.Invalid) result).text("f"))
                .contains("the variable SIGMA_GONE_HERE, which is not set");
    }

    @Test
    void aProcessThatServesHasTheEnvironmentOfItsStart() {
        String json =
                "{\"upstream\": [{\"id\": \"${SIGMA_GONE_HERE}\", \"sticky\": {\"key\": {\"$env\": \"SIGMA_GONE_HERE\"}}}]}";
        ConfigResult result =
                new ConfigReader(Map.of()).again().read(json.getBytes(StandardCharsets.UTF_8), Path.of(""));
        String since = "which is not set in the environment that pid "
                + ProcessHandle.current().pid() + " has had since its start (expected: ";
        assertThat(((ConfigResult.Invalid) result).text("f"))
                .contains(
                        "the variable SIGMA_GONE_HERE, " + since,
                        "the variable \"SIGMA_GONE_HERE\", " + since,
                        "; another environment takes a restart)");
    }

    @Test
    void whatAPluginMeansOtherwiseIsLeft() {
        ConfigResult result = read("1", "", """
                , "plugin": { "rewrite-path": { "regexp": "^/(?<NAME>.*)${GONE:-$}", "replacement": "/x/${NAME}" } }""");
        assertThat(((ConfigResult.Valid) result)
                        .config()
                        .listeners()
                        .getFirst()
                        .plugins()
                        .getFirst()
                        .settings())
                .isEqualTo(Map.of("regexp", "^/(?<NAME>.*)$", "replacement", "/x/${NAME}"));
    }
}
