package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {

    @ParameterizedTest
    @CsvSource({
        "1ms, 1_000_000",
        "250ms, 250_000_000",
        "30s, 30_000_000_000",
        "5m, 300_000_000_000",
        "1h, 3_600_000_000_000",
        "999999h, 3_599_996_400_000_000_000"
    })
    void durationsAreNanoseconds(String text, String nanos) {
        assertThat(Units.durationNanos(text)).isEqualTo(Long.parseLong(nanos.replace("_", "")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "s",
                "0s",
                "01s",
                "1",
                "1d",
                "1 s",
                " 1s",
                "1s ",
                "-1s",
                "+1s",
                "1.5s",
                "1000000s",
                "1S",
                "١s",
                "1us"
            })
    void anythingElseIsNoDuration(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Units.durationNanos(text))
                .withMessageContaining("a duration such as");
    }

    @ParameterizedTest
    @CsvSource({
        "0B, 0",
        "512B, 512",
        "8KiB, 8192",
        "1MiB, 1048576",
        "10GiB, 10737418240",
        "999999999GiB, 1073741822926258176"
    })
    void sizesAreBytes(String text, long bytes) {
        assertThat(Units.sizeBytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "B",
                "00B",
                "08KiB",
                "1",
                "1K",
                "1KB",
                "1kib",
                "1 KiB",
                "-1B",
                "1.5KiB",
                "1000000000B",
                "1TiB"
            })
    void anythingElseIsNoSize(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Units.sizeBytes(text))
                .withMessageContaining("a size such as");
    }
}
