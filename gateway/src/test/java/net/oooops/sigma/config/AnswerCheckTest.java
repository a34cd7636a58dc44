package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.Test;

class AnswerCheckTest {
    private static final ComposedSchema SCHEMA =
            new PluginCatalog(AnswerCheckTest.class.getClassLoader()).composedSchema();

    /** Of a router with a route that has a plugin which answers nothing. */
    private static List<Problem> warnings(String ofRouter, String ofRoute) {
        String json = "{\"proxy-server\": {\"http\": {\"id\": \"s\", \"port\": 1}}, \"router\": [{\"id\": \"r\","
                + ofRouter + " \"proxy-server-id\": \"s\", \"route\": [{\"id\": \"a\"," + ofRoute
                + " \"path\": \"/a\", \"plugin\": {\"request-id\": {}}}]}]}";
        ConfigResult result = new ConfigReader(SCHEMA, PluginTrial.NONE)
                .read(json.getBytes(UTF_8), Path.of("").toAbsolutePath());
        return ((ConfigResult.Valid) result).warnings();
    }

    @Test
    void aRouteThatNothingAnswersIsToldOfUnlessItOrItsRouterIsSwitchedOff() {
        assertThat(warnings("", ""))
                .singleElement()
                .satisfies(warning -> assertThat(warning.text("")).contains("answered with 404"));
        assertThat(warnings("", "\"enable\": false,")).isEmpty();
        assertThat(warnings("\"enable\": false,", "")).isEmpty();
    }
}
