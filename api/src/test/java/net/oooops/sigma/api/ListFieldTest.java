package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListFieldTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            gzip                     | gzip | 1000
            GZip                     | gzip | 1000
            "gzip, br"               | br   | 1000
            "gzip,br;q=0.5"          | br   | 500
            "gzip , br ; q=0.55"     | br   | 550
            "br;Q=0.123 , gzip"      | br   | 123
            br;q=0                   | br   | 0
            br;q=0.000               | br   | 0
            br;q=1                   | br   | 1000
            br;q=1.                  | br   | 1000
            br;q=1.000               | br   | 1000
            br;q=1.001               | br   | 0
            br;q=2                   | br   | 0
            br;q=                    | br   | 0
            br;q=-1                  | br   | 0
            br;q=0.1234              | br   | 0
            br;q=.5                  | br   | 0
            br;q=0,5                 | br   | 0
            br;x=y;q=0.2             | br   | 200
            "br;q=0.1, br;q=0.9"     | br   | 100
            brotli                   | br   | -1
            "xbr, br-x"              | br   | -1
            ",,, br ,"               | br   | 1000
            "gzip;q=1;br"            | br   | -1
            *                        | *    | 1000
            """)
    void weights(String field, String token, int weight) {
        assertThat(ListField.weight(List.of(field), token)).isEqualTo(weight);
    }

    @Test
    void severalFieldsAreOne() {
        assertThat(ListField.weight(List.of("gzip;q=0.1", "br;q=0.7"), "br")).isEqualTo(700);
        assertThat(ListField.weight(List.of(), "br")).isEqualTo(ListField.UNSAID);
        assertThat(ListField.has(List.of("max-age=1", "private, No-Transform"), "no-transform"))
                .isTrue();
        assertThat(ListField.has(List.of("no-transform-ever"), "no-transform")).isFalse();
    }

    /** A fourfold field may cost four times as much, not sixteen times: what is looked for may stand nowhere, or far behind each member. */
    @ParameterizedTest
    @ValueSource(strings = {",", ";", "a,", "a;", ",;"})
    void aLongFieldCostsWhatItsLengthIs(String repeated) {
        List<String> field = List.of(repeated.repeat(2 * 1024 * 1024 / repeated.length()));
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            assertThat(ListField.weight(field, "br")).isEqualTo(ListField.UNSAID);
            assertThat(AcceptEncoding.best(field, List.of("br", "gzip"))).isEqualTo(-1);
            assertThat(ListField.tokens(field)).doesNotContain("br");
        });
    }
}
