package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetadataTest {
    private static Metadata of(Object... keysAndValues) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return Metadata.of(values);
    }

    @Test
    void valuesAreTextsNumbersAndBooleans() {
        Metadata metadata = of("team", "orders", "tier", 1, "share", 0.25, "beta", true);
        assertThat(metadata.values()).isEqualTo(Map.of("team", "orders", "tier", 1L, "share", 0.25, "beta", true));
        assertThat(metadata.text("tier")).isEqualTo("1");
        assertThat(metadata.text("share")).isEqualTo("0.25");
        assertThat(metadata.text("beta")).isEqualTo("true");
        assertThat(metadata.text("none")).isNull();
        assertThat(metadata).hasToString("{\"team\":\"orders\",\"tier\":1,\"share\":0.25,\"beta\":true}");
        byte[] copied = new byte[metadata.jsonBytes() + 2];
        assertThat(metadata.copyJsonTo(copied, 1)).isEqualTo(1 + metadata.jsonBytes());
        assertThat((char) copied[1]).isEqualTo('{');
    }

    @Test
    void whatIsNoValueIsRefused() {
        assertThatThrownBy(() -> of("a", List.of())).hasMessage("a: [] (expected: a text, a number or a boolean)");
        assertThatThrownBy(() -> of("a", Double.NaN)).hasMessage("a: NaN (expected: a text, a number or a boolean)");
        assertThatThrownBy(() -> of("a", "x".repeat(Metadata.JSON_BYTES_MAX)))
                .hasMessage("metadata of 4104 bytes of JSON (expected: <= 4096)");
    }

    @Test
    void theInnerOneHolds() {
        Metadata joined = of("team", "outer", "env", "test").with(of("team", "inner"));
        assertThat(joined).isEqualTo(of("env", "test", "team", "inner"));
        assertThat(joined).hasToString("{\"env\":\"test\",\"team\":\"inner\"}");
    }

    /** A plugin may leave more than fits beside that of sigma.json: the log's line has a longest. */
    @Test
    void whatDoesNotFitOfTheOuterOneIsLeftOut() {
        Metadata joined = of("long", "x".repeat(4000), "env", "test").with(of("team", "y".repeat(200)));
        assertThat(joined.values()).containsOnlyKeys("env", "team");
        assertThat(joined.jsonBytes()).isLessThanOrEqualTo(Metadata.JSON_BYTES_MAX);
    }
}
