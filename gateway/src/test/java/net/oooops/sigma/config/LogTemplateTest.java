package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import net.oooops.sigma.api.UnfitException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogTemplateTest {
    @Test
    void factsStandBetweenTexts() {
        assertThat(LogTemplate.parse("{status}\t{header:X-Id} {metadata:a:b}"))
                .isEqualTo(new LogTemplate(
                        List.of("", "\t", " ", ""),
                        List.of(
                                new LogTemplate.Part(LogFact.STATUS, ""),
                                new LogTemplate.Part(LogFact.HEADER, "X-Id"),
                                new LogTemplate.Part(LogFact.METADATA, "a:b"))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{ status}",
                "{header}",
                "{header:}",
                "{header:a b}",
                "{metadata}",
                "{status:x}",
                "{param:id}"
            })
    void otherNamesAreNone(String format) {
        assertThat(unfit(format).expected())
                .startsWith("in the place of " + format + " one of {attempts}, {bytes}, ")
                .endsWith(", {header:Name} or {metadata:key}; {{ for a brace that is meant itself");
    }

    @ParameterizedTest
    @CsvSource({
        "a {stauts} b, a {status} b",
        "{request_id}, {request-id}",
        "{client-adress}{status}, {client-address}{status}",
        "{colour},"
    })
    void whatComesNearIsNamed(String format, String meant) {
        assertThat(unfit(format).nearest()).isEqualTo(meant);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{status}\n", "\r{status}", "{status}\0", "{status}\u0085"})
    void aLineIsOne(String format) {
        assertThat(unfit(format).expected()).startsWith("no control characters");
    }

    private static UnfitException unfit(String format) {
        return catchThrowableOfType(UnfitException.class, () -> LogTemplate.parse(format));
    }
}
