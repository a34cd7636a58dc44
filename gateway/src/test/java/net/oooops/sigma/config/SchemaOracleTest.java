package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@link SchemaCheck} comes to the same verdicts as a full implementation of JSON Schema. */
class SchemaOracleTest {

    private static final int MUTANTS_PER_INPUT = 60;
    private static final List<String> SPARE_PARTS = List.of(
            "null",
            "true",
            "-1",
            "0",
            "1",
            "1.0",
            "1.5",
            "65536",
            "1e3",
            "\"\"",
            "\"x\"",
            "\"30s\"",
            "\"8KiB\"",
            "[]",
            "{}",
            "[1, 1]",
            "[\"a\", \"a\"]",
            "\"DENY\"",
            "\"none\"",
            "{\"name\": \"a\", \"exact\": \"b\"}",
            "{\"url\": \"u\", \"weight\": 0}");

    private final ObjectMapper mapper = new ObjectMapper();
    private final Random random = new Random(42);
    private final JsonNode schema =
            withoutOwnKeywords(parse(JsonText.of(new ConfigSchema(TestPlugins.schemas()).root())));
    private final SchemaRefs refs = new SchemaRefs(read(schema.toString()));
    private final Json root = refs.resolve("#");
    private final JsonSchema oracle =
            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(schema);

    @Test
    void mutatedInputsAreJudgedAlike() {
        int valid = 0;
        int all = 0;
        for (Path input : TestFiles.goldenInputs()) {
            JsonNode original = parsable(input);
            for (int i = 0; original != null && i < MUTANTS_PER_INPUT; i++) {
                JsonNode mutant = original.deepCopy();
                for (int changes = i % 3; changes > 0; changes--) {
                    mutate(mutant);
                }
                valid += judge(mutant) ? 1 : 0;
                all++;
            }
        }
        assertThat(all).isGreaterThan(2000);
        assertThat(valid).isBetween(all / 10, all * 9 / 10);
    }

    @Test
    void theSchemaIsOne() {
        JsonSchema meta = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(SchemaLocation.of(SchemaId.V202012));
        assertThat(meta.validate(parse(new ConfigReader(TestPlugins.schemas()).composedSchema())))
                .isEmpty();
    }

    private boolean judge(JsonNode value) {
        Problems problems = new Problems();
        new SchemaCheck(refs, problems).check(root, read(value.toString()));
        assertThat(problems.sorted().isEmpty())
                .as("%s%n%s%n%s", value, problems.sorted(), oracle.validate(value))
                .isEqualTo(oracle.validate(value).isEmpty());
        return problems.isEmpty();
    }

    private void mutate(JsonNode value) {
        List<JsonNode> containers = new ArrayList<>();
        collect(value, containers);
        if (containers.isEmpty()) {
            return;
        }
        JsonNode spare = parse(SPARE_PARTS.get(random.nextInt(SPARE_PARTS.size())));
        switch (containers.get(random.nextInt(containers.size()))) {
            case ObjectNode object -> mutate(object, spare);
            case ArrayNode array when !array.isEmpty() -> array.set(random.nextInt(array.size()), spare);
            case ArrayNode array -> array.add(spare);
            default -> throw new AssertionError("no container");
        }
    }

    private void mutate(ObjectNode object, JsonNode spare) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        String key = keys.isEmpty() ? "id" : keys.get(random.nextInt(keys.size()));
        switch (random.nextInt(4)) {
            case 0 -> object.remove(key);
            case 1 -> object.set(key + "x", spare);
            default -> object.set(key, spare);
        }
    }

    private static void collect(JsonNode value, List<JsonNode> containers) {
        if (value.isContainerNode()) {
            containers.add(value);
        }
        value.forEach(inner -> collect(inner, containers));
    }

    /** What only {@link SchemaCheck} asserts. */
    private static JsonNode withoutOwnKeywords(JsonNode schema) {
        if (schema instanceof ObjectNode object) {
            object.remove(List.of("x-minimum", "x-maximum", "x-expected", "x-expected-key", "x-variables", "format"));
        }
        schema.forEach(SchemaOracleTest::withoutOwnKeywords);
        return schema;
    }

    private static Json read(String json) {
        Problems problems = new Problems();
        Json read = JsonReader.read(json, problems);
        if (read == null) {
            throw new AssertionError(problems.sorted());
        }
        return read;
    }

    private @Nullable JsonNode parsable(Path input) {
        try {
            String text = Files.readString(input);
            return JsonReader.read(text, new Problems()) == null ? null : mapper.readTree(text);
        } catch (IOException e) {
            return null; // not JSON; there are inputs of that kind, too
        }
    }

    private JsonNode parse(String json) {
        try {
            return mapper.readTree(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }
}
