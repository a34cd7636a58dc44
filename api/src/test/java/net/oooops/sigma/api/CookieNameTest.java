package net.oooops.sigma.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CookieNameTest {
    private static final CookieName NODE = CookieName.of("node");

    private static List<String> values(String pairs) {
        List<String> values = new ArrayList<>();
        byte[] source = ("node=before; " + pairs + "; node=behind").getBytes(ISO_8859_1);
        NODE.addTo(values, source, 13, source.length - 13);
        return values;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node=x               | x",
                "a=b; node=x; c=d     | x",
                "a=b;node=x;c=d       | x",
                "' a=b ;\tnode = x\t;' | x",
                "node=x; node=y       | x,y",
                "node=a=b; c          | a=b",
                "node=\"x\"           | '\"x\"'",
                "'node=\u00a0x'       | '\u00a0x'",
                "a=b; node=           | ''",
                "a=b                  | ",
                "node                 | ",
                "node;=x              | ",
                "nodes=x; anode=y     | ",
                "Node=x               | ",
                "a=node=x             | ",
                "a;;;                 | ",
            })
    void valuesAreFoundInTheirOrder(String pairs, String expected) {
        assertThat(values(pairs)).isEqualTo(expected == null ? List.of() : List.of(expected.split(",", -1)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node=x                  | ''",
                "a=b; node=x; c=d        | a=b; c=d",
                "' a ;node=x;\t;node=y;b' | a; b",
                "a=b;c                   | a=b; c",
                "''                      | ''",
            })
    void theOthersAreLeft(String pairs, String expected) {
        assertThat(NODE.without(pairs)).isEqualTo(expected);
    }

    @Test
    void contentIsWithoutQuotesAndOfTheOctetsOfAValue() {
        assertThat(CookieName.content("x=y/+!#")).isEqualTo("x=y/+!#");
        assertThat(CookieName.content("\"x\"")).isEqualTo("x");
        assertThat(CookieName.content("\"\"")).isEmpty();
        assertThat(CookieName.content("")).isEmpty();
        for (String value :
                List.of("\"", "x\"", "\"x", "\"x\"y\"", "a b", "a,b", "a\\b", "a;b", "a\tb", "\u00e4", "a\u007f")) {
            assertThat(CookieName.content(value)).as(value).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a;b", "a=b", "\u00e4"})
    void whatIsNoTokenIsNoName(String text) {
        assertThatThrownBy(() -> CookieName.of(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void namesAreEqualWithLetterCase() {
        assertThat(NODE).isEqualTo(CookieName.of("node")).hasSameHashCodeAs(CookieName.of("node"));
        assertThat(NODE).isNotEqualTo(CookieName.of("Node")).hasToString("node");
    }
}
