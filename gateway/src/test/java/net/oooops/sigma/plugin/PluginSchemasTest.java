package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The built-in plugins and those of another jar are found, and their schemas are good enough to check, complete and document sigma.json with. */
class PluginSchemasTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchemaFactory SCHEMAS = JsonSchemaFactory.getInstance(VersionFlag.V202012);
    private static final PluginCatalog CATALOG = new PluginCatalog(PluginSchemasTest.class.getClassLoader());

    static Stream<String> names() {
        return CATALOG.schemas().keySet().stream();
    }

    private static JsonNode schema(String name) throws Exception {
        return JSON.readTree(CATALOG.schemas().get(name));
    }

    @Test
    void allAreFound() {
        assertThat(names()).contains("cors", "csp", "headers", "hsts", "rewrite-path", "x-frame");
    }

    @Test
    void thoseOfAnotherJarAreFoundTheSameWay() {
        assertThat(names()).contains("example-request-id", "slow-lookup");
        assertThat(CATALOG.create("slow-lookup", Map.of("delay", "5ms"))).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("names")
    void eachIsASchemaOf2020(String name) throws Exception {
        JsonSchema meta = SCHEMAS.getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));

        assertThat(meta.validate(schema(name))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("names")
    void eachSaysWhatItMeans(String name) throws Exception {
        JsonNode schema = schema(name);

        assertThat(schema.path("title").asText()).isEqualTo(name);
        assertThat(schema.path("examples")).isNotEmpty();
        assertDescribed(name, schema);
        if (schema.path("type").asText().equals("object")) {
            assertThat(schema.at("/properties/enable/default").asBoolean(false)).isTrue();
        }
    }

    private static void assertDescribed(String place, JsonNode schema) {
        assertThat(schema.path("title").asText()).as(place + " title").isNotEmpty();
        assertThat(schema.path("description").asText())
                .as(place + " description")
                .endsWith(".");
        if (schema.has("properties")) {
            assertThat(schema.path("additionalProperties"))
                    .as(place + " additionalProperties")
                    .isEqualTo(JSON.getNodeFactory().booleanNode(false));
            schema.path("properties")
                    .properties()
                    .forEach(one -> assertDescribed(place + "/" + one.getKey(), one.getValue()));
        }
        if (schema.path("items").has("properties")) {
            assertDescribed(place + "/items", schema.path("items"));
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void eachTakesItsExamplesAndNoUnknownKey(String name) throws Exception {
        JsonSchema checks = SCHEMAS.getSchema(schema(name));
        for (JsonNode example : schema(name).path("examples")) {
            assertThat(checks.validate(example)).as(example.toString()).isEmpty();
            assertThat(CATALOG.create(name, JSON.treeToValue(example, Object.class)))
                    .as(example.toString())
                    .isNotNull();
        }
        assertThat(checks.validate(JSON.valueToTree(Map.of("unknown", 1)))).isNotEmpty();
        assertThat(checks.validate(JSON.readTree("17"))).isNotEmpty();
    }
}
