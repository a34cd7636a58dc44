package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Sizes that are kept as an int have a bound in the schema, so that none is too large for that. */
class SizeBoundsTest {
    private static final String SIZE = "#/$defs/size";

    @Test
    void everySizeButThatOfAPassingBodyHasAGreatestValue() throws IOException {
        List<String> unbounded = new ArrayList<>();
        JsonNode schema = new ObjectMapper()
                .readTree(Objects.requireNonNull(ConfigSchema.class.getResource("sigma.schema.json")));
        find(schema, "", unbounded);
        assertThat(unbounded).containsExactly("/$defs/limits/properties/body");
    }

    private static void find(JsonNode schema, String path, List<String> unbounded) {
        if (SIZE.equals(schema.path("$ref").asText())) {
            String most = schema.path("x-maximum").asText();
            if (most.isEmpty() || Units.sizeBytes(most) > Integer.MAX_VALUE) {
                unbounded.add(path);
            }
        }
        schema.properties().forEach(member -> find(member.getValue(), path + "/" + member.getKey(), unbounded));
    }
}
