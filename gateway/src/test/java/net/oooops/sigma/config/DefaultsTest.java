package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the schema calls a default is what holds where the key is left out. */
class DefaultsTest {

    private static final String WITHOUT_DEFAULTS = """
            {
              "proxy-server": {"http": [{"id": "s", "port": 1, "limits": {}, "timeouts": {}}],
                "tcp": [{"id": "t", "port": 2, "proxy-pass-id": "q"}],
                "udp": [{"id": "d", "port": 3, "proxy-pass-id": "o"}]},
              "proxy-client": {},
              "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "*", "proxy-pass-id": "p"}]}],
              "proxy-pass": [{"id": "p", "upstream-id": "u", "timeout": {}}, {"id": "q", "upstream-id": "v"},
                {"id": "o", "upstream-id": "w"}],
              "upstream": [{"id": "u", "nodes": [{"url": "http://a"}], "sticky": {}, "breaker": {"error-rate": 50, "adaptive": {}}, "health": {"active": {"http": {}}, "passive": {}}},
                {"id": "v", "nodes": ["tcp://a:1"], "health": {"active": {"port": 1, "bolt": {}}}},
                {"id": "w", "nodes": ["udp://a:1"]}],
              "plugins": {"log-config": {}},
              "limits": {},
              "timeouts": {},
              "runtime": {}
            }
            """;

    private final ObjectMapper mapper = new ObjectMapper();
    private final ConfigReader reader = new ConfigReader(Map.of());
    private final JsonNode schema = parse(reader.composedSchema());
    private final List<String> filledIn = new ArrayList<>();

    @Test
    void writingEveryDefaultChangesNothing() {
        JsonNode written = parse(WITHOUT_DEFAULTS);
        fill(schema, written);
        assertThat(filledIn).hasSizeGreaterThan(70);
        assertThat(read(written.toString())).isEqualTo(read(WITHOUT_DEFAULTS));
    }

    @Test
    void anythingButTheDefaultChangesTheRecords() {
        SigmaConfig config = read(WITHOUT_DEFAULTS);
        for (String change : List.of(
                "{\"proxy-client\": {\"idle-timeout\": \"56s\"}}",
                "{\"limits\": {\"trailer\": \"9KiB\"}}",
                "{\"timeouts\": {\"linger\": \"3s\"}}",
                "{\"runtime\": {\"allocator\": \"adaptive\"}}")) {
            ObjectNode changed = (ObjectNode) parse(WITHOUT_DEFAULTS);
            changed.setAll((ObjectNode) parse(change));
            assertThat(read(changed.toString())).as(change).isNotEqualTo(config);
        }
    }

    /** Writes the default of every key that is left out. */
    private void fill(JsonNode at, JsonNode value) {
        JsonNode resolved = resolved(at);
        if (value instanceof ArrayNode array) {
            array.forEach(item -> fill(resolved.path("items"), item));
        }
        if (!(value instanceof ObjectNode object)) {
            return;
        }
        resolved.path("properties").properties().forEach(property -> {
            JsonNode inner = property.getValue();
            JsonNode otherwise = inner.path("default");
            if (object.has(property.getKey())) {
                fill(inner, object.get(property.getKey()));
            } else if (!otherwise.isMissingNode()) {
                object.set(property.getKey(), otherwise);
                filledIn.add(property.getKey());
            }
        });
    }

    /** The schema with what it refers to. */
    private JsonNode resolved(JsonNode at) {
        String ref = at.path("$ref").asText();
        if (ref.isEmpty()) {
            return at;
        }
        ObjectNode merged = JsonNodeFactory.instance.objectNode();
        merged.setAll((ObjectNode) schema.at(ref.substring(1)));
        merged.setAll((ObjectNode) at);
        return merged;
    }

    private SigmaConfig read(String json) {
        ConfigResult result = reader.read(json.getBytes(StandardCharsets.UTF_8), Path.of(""));
        if (result instanceof ConfigResult.Invalid invalid) {
            throw new AssertionError(invalid.text("sigma.json") + json);
        }
        return ((ConfigResult.Valid) result).config();
    }

    private JsonNode parse(String json) {
        try {
            return mapper.readTree(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }
}
