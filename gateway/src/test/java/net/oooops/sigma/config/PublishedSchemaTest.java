package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import net.oooops.sigma.api.PluginFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What `sigma schema` prints takes what Sigma takes, as it is written. */
class PublishedSchemaTest {
    private static final ObjectMapper JSON =
            JsonMapper.builder().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();

    private final ConfigReader reader = new ConfigReader(TestPlugins.schemas()).in(name -> "1");
    private final JsonNode schema = parse(reader.composedSchema());
    private final JsonSchema editor =
            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(schema);

    private static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }

    private static String sample(String port, String path) {
        return """
                {
                  "proxy-server": { "http": { "id": "web", "port": %s } },
                  "router": [{ "id": "main", "proxy-server-id": "web", "route": [{ "id": "r", "path": %s, "proxy-pass-id": "p" }] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://localhost:8888"] }]
                }
                """.formatted(port, path);
    }

    @Test
    void whatIsValidIsValidForEditors() throws IOException {
        int valid = 0;
        for (Path input : TestFiles.goldenInputs()) {
            byte[] bytes = Files.readAllBytes(input);
            if (reader.read(bytes, TestFiles.path("golden")) instanceof ConfigResult.Valid) {
                assertThat(editor.validate(JSON.readTree(bytes)))
                        .as("%s", input)
                        .isEmpty();
                valid++;
            }
        }
        assertThat(valid).isGreaterThan(20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"8080", "\"${PORT}\"", "\"${PORT:-8080}\""})
    void numbersMayBeVariables(String port) {
        assertThat(editor.validate(parse(sample(port, "\"/*\"")))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"8080\"", "\"$PORT\"", "\"${PO RT}\"", "true", "{}", "70000"})
    void otherwiseTheyAreJudgedAsEver(String port) {
        assertThat(editor.validate(parse(sample(port, "\"/*\"")))).isNotEmpty();
    }

    @Test
    void textsMayHaveVariablesInThem() {
        assertThat(editor.validate(parse(sample("1", "\"/${AT:-a}/*\"")))).isEmpty();
    }

    private static String condition(String exact) {
        return sample("1", "\"/*\", \"header\": [{ \"name\": \"x-token\", \"exact\": " + exact + " }]");
    }

    @Test
    void whatIsNotShownMayBeASecretAndNothingElseMay() {
        assertThat(editor.validate(parse(condition("{\"$file\": \"path\"}")))).isEmpty();
        assertThat(editor.validate(parse(condition("{\"$env\": \"PATH\"}")))).isEmpty();
        assertThat(editor.validate(parse(condition("{\"$env\": \"PATH\", \"$file\": \"path\"}"))))
                .isNotEmpty();
        assertThat(editor.validate(parse(sample("{\"$env\": \"PORT\"}", "\"/*\""))))
                .isNotEmpty();
        assertThat(editor.validate(parse(sample("1", "{\"$file\": \"path\"}")))).isNotEmpty();
    }

    @Test
    void whatEditorsShowStaysBesideTheKeyThatItIsAbout() {
        JsonNode port = schema.at("/$defs/server/properties/port");
        assertThat(port.path("description").asText()).isNotEmpty();
        assertThat(port.at("/anyOf/0/maximum").asInt()).isEqualTo(65535);
        assertThat(port.at("/anyOf/1/$ref").asText()).isEqualTo("#/$defs/variable");
    }

    /** A reference that leads nowhere would be refused only where it is come by. */
    @Test
    void allReferencesLeadSomewhere() throws IOException {
        Map<String, String> plugins = new TreeMap<>();
        for (PluginFactory factory : ServiceLoader.load(PluginFactory.class)) {
            plugins.put(factory.name(), factory.schema());
        }
        JsonNode whole = parse(new ConfigReader(plugins).composedSchema());
        assertThat(whole.findValuesAsText("$ref"))
                .isNotEmpty()
                .allSatisfy(ref -> assertThat(whole.at(ref.substring(1)).isMissingNode())
                        .as(ref)
                        .isFalse());
    }
}
