package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EntityTagsTest {
    /** RFC 9110 section 8.8.3.2, its table among it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            W/"1"              | W/"1" | true  | false | true
            W/"1"              | W/"2" | false | false | false
            W/"1"              | "1"   | false | false | true
            "1"                | "1"   | true  | true  | true
            "1"                | W/"1" | false | false | true
            *                  | "1"   | false | true  | true
            "2", "1"           | "1"   | true  | true  | true
            "2",,	W/"1" ,"3"   | "1"   | false | false | true
            "2,"1"             | "1"   | false | false | false
            "2,1", "3"         | "3"   | true  | true  | true
            "x1"               | "1"   | false | false | false
            "W/"1""            | "1"   | false | false | false
            "12"               | "1"   | false | false | false
            "1                 | "1"   | false | false | false
            1, "1"             | "1"   | false | false | false
            w/"1"              | "1"   | false | false | false
            W/                 | "1"   | false | false | false
            ""                 | ""    | true  | true  | true
            ''                 | ""    | false | false | false
            """)
    void compares(String list, String tag, boolean exactly, boolean strongly, boolean weakly) {
        List<String> values = List.of(list);
        assertThat(EntityTags.has(values, tag)).isEqualTo(exactly);
        assertThat(EntityTags.matchesStrongly(values, tag)).isEqualTo(strongly);
        assertThat(EntityTags.matchesWeakly(values, tag)).isEqualTo(weakly);
    }

    @Test
    void severalFieldsAreOneList() {
        List<String> values = List.of("\"1\"", "W/\"2\", \"3\"");
        assertThat(EntityTags.matchesWeakly(values, "\"2\"")).isTrue();
        assertThat(EntityTags.matchesStrongly(values, "\"3\"")).isTrue();
        assertThat(EntityTags.matchesWeakly(List.of(), "\"2\"")).isFalse();
    }

    @Test
    void weakness() {
        assertThat(EntityTags.isWeak("W/\"1\"")).isTrue();
        assertThat(EntityTags.isWeak("\"W/1\"")).isFalse();
    }
}
