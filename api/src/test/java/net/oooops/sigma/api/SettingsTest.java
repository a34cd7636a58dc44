package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static final Settings TREE = Settings.of(Map.of(
            "text",
            "a",
            "number",
            5,
            "yes",
            true,
            "list",
            Arrays.asList("a", 1, null),
            "object",
            Map.of("a/b~c", Map.of("d", "e")),
            "wait",
            "250ms"));

    private static void assertProblem(ThrowingCallable read, String pointer, String found, String expected) {
        assertThatThrownBy(read).isInstanceOfSatisfying(SettingsException.class, e -> {
            assertThat(e.pointer()).isEqualTo(pointer);
            assertThat(e.found()).isEqualTo(found);
            assertThat(e.expected()).isEqualTo(expected);
            assertThat(e).hasMessage(pointer + ": " + found + " (expected: " + expected + ")");
        });
    }

    @Test
    void givesValuesOfTheirKind() {
        assertThat(TREE.get("text").string()).isEqualTo("a");
        assertThat(TREE.get("text").string("b")).isEqualTo("a");
        assertThat(TREE.get("number").integer(1)).isEqualTo(5);
        assertThat(TREE.get("yes").bool(false)).isTrue();
        assertThat(TREE.get("list").isList()).isTrue();
        assertThat(TREE.get("text").isList()).isFalse();
        assertThat(TREE.get("list").elements()).hasSize(3);
        assertThat(TREE.get("list").elements().get(0).string()).isEqualTo("a");
        assertThat(TREE.get("list").elements().get(2).isPresent()).isFalse();
    }

    @Test
    void givesDefaultsWhereNothingIs() {
        Settings nothing = TREE.get("nothing");

        assertThat(nothing.isPresent()).isFalse();
        assertThat(nothing.string("b")).isEqualTo("b");
        assertThat(nothing.integer(7)).isEqualTo(7);
        assertThat(nothing.bool(true)).isTrue();
        assertThat(nothing.duration(Duration.ofDays(1))).isEqualTo(Duration.ofDays(1));
        assertThat(nothing.elements()).isEmpty();
        assertThat(nothing.keys()).isEmpty();
        assertThat(nothing.get("deeper").isPresent()).isFalse();
        assertThat(TREE.get("text").get("a").isPresent()).isFalse();
    }

    @Test
    void pointsToItsPlace() {
        Settings deep = TREE.get("object").get("a/b~c").get("d");

        assertThat(TREE.pointer()).isEmpty();
        assertThat(deep.pointer()).isEqualTo("/object/a~1b~0c/d");
        assertThat(TREE.get("list").elements().get(1).pointer()).isEqualTo("/list/1");
    }

    @Test
    void keepsTheOrderOfKeys() {
        Map<String, Object> tree = new LinkedHashMap<>();
        List.of("z", "a", "m").forEach(key -> tree.put(key, 1));

        assertThat(Settings.of(tree).keys()).containsExactly("z", "a", "m");
    }

    @Test
    void namesPlaceAndKindWhereAnotherIsThere() {
        assertProblem(() -> TREE.get("number").string(), "/number", "5", "a string");
        assertProblem(() -> TREE.get("nothing").string(), "/nothing", "nothing", "a string");
        assertProblem(() -> TREE.get("text").integer(1), "/text", "\"a\"", "a whole number");
        assertProblem(() -> TREE.get("text").bool(true), "/text", "\"a\"", "true or false");
        assertProblem(() -> TREE.get("text").elements(), "/text", "\"a\"", "an array");
        assertProblem(() -> TREE.get("text").keys(), "/text", "\"a\"", "an object");
        assertProblem(() -> TREE.get("list").elements().get(1).string(), "/list/1", "1", "a string");
    }

    @Test
    void wholeNumbersOnly() {
        assertThat(Settings.of(5.0).integer(1)).isEqualTo(5);
        assertThat(Settings.of(Long.MAX_VALUE).integer(1)).isEqualTo(Long.MAX_VALUE);
        assertProblem(() -> Settings.of(5.5).integer(1), "", "5.5", "a whole number");
        assertProblem(
                () -> Settings.of(BigInteger.TWO.pow(64)).integer(1),
                "",
                "18446744073709551616",
                "a whole number of at most 18 digits");
    }

    @Test
    void readsDurations() {
        assertThat(TREE.get("wait").duration(Duration.ZERO)).isEqualTo(Duration.ofMillis(250));
        assertThat(Settings.of("30s").duration(Duration.ZERO)).isEqualTo(Duration.ofSeconds(30));
        assertThat(Settings.of("5m").duration(Duration.ZERO)).isEqualTo(Duration.ofMinutes(5));
        assertThat(Settings.of("999999h").duration(Duration.ZERO)).isEqualTo(Duration.ofHours(999_999));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "ms", "0s", "05s", "1000000s", "5 s", "5d", "-5s", "5S", "1.5s"})
    void refusesWhatIsNoDuration(String text) {
        assertThatThrownBy(() -> Settings.of(text).duration(Duration.ZERO))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("\"" + text + "\" (expected: a duration such as");
    }

    @Test
    void sizesAreBytes() {
        Settings sizes = Settings.of(Map.of("a", "0B", "b", "8KiB", "c", "3MiB", "d", "999999999GiB"));
        assertThat(sizes.get("a").bytes(1)).isZero();
        assertThat(sizes.get("b").bytes(1)).isEqualTo(8192);
        assertThat(sizes.get("c").bytes(1)).isEqualTo(3 << 20);
        assertThat(sizes.get("d").bytes(1)).isEqualTo(999_999_999L << 30);
        assertThat(sizes.get("e").bytes(1)).isEqualTo(1);
        for (Object wrong : List.of("8", "8KB", "08B", "-1B", "1.5KiB", "1234567890B", 8)) {
            assertThatThrownBy(() -> Settings.of(wrong).bytes(1)).isInstanceOf(SettingsException.class);
        }
    }

    @Test
    void aTreeIsWhatWasGiven() {
        Map<String, List<Integer>> tree = Map.of("a", List.of(1));
        assertThat(Settings.of(tree).tree()).isSameAs(tree);
        assertThat(Settings.of(tree).get("b").tree()).isNull();
    }
}
