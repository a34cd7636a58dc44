package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptEncodingTest {
    private static final List<String> CODINGS = List.of("br", "zstd", "gzip");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip | gzip",
                "gzip, br | br",
                "br;q=0.5, gzip;q=0.8 | gzip",
                "GZIP;Q=0.8, br;q=0.799 | gzip",
                "x-gzip | gzip",
                "x-gzip, gzip;q=0 | none",
                "* | br",
                "*;q=0.5, br;q=0 | zstd",
                "*;q=0.1, gzip;q=0.2 | gzip",
                "*;q=0 | none",
                "identity | none",
                "identity;q=0 | none",
                "identity;q=0, *;q=0.001 | br",
                "identity, gzip;q=0.999 | none",
                "identity, gzip | gzip",
                "identity;q=0.5, gzip;q=0.4, br;q=0.5 | br",
                "gzip;q=0 | none",
                "gzip;q=0.000 | none",
                "gzip;q=1.001 | none",
                "gzip;q=x | none",
                "gzip; q=0.3 ; x=1, deflate | gzip",
                "deflate | none",
                "gzipped, br2 | none",
                ", ,gzip , | gzip",
            })
    void theBestIsTaken(String field, String best) {
        int index = AcceptEncoding.best(List.of(field), CODINGS);
        assertThat(index < 0 ? "none" : CODINGS.get(index)).isEqualTo(best);
    }

    @Test
    void severalFieldsAreOne() {
        assertThat(AcceptEncoding.best(List.of("gzip;q=0.5", "br;q=0.4"), CODINGS))
                .isEqualTo(2);
        assertThat(AcceptEncoding.best(List.of(), CODINGS)).isEqualTo(-1);
        assertThat(AcceptEncoding.best(List.of(""), CODINGS)).isEqualTo(-1);
        assertThat(AcceptEncoding.best(List.of("*"), List.of())).isEqualTo(-1);
        assertThat(AcceptEncoding.weight(List.of("gzip;q=0.25", "*;q=0.5"), "gzip"))
                .isEqualTo(250);
        assertThat(AcceptEncoding.weight(List.of("gzip;q=0.25", "*;q=0.5"), "br"))
                .isEqualTo(500);
    }
}
