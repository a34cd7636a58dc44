package net.oooops.sigma.plugins.staticresources;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranges of a file of 1000 bytes. */
class ByteRangesTest {
    private static final int MAX = 4;

    private static String of(String field, long length) {
        List<ByteRanges.Span> spans = ByteRanges.of(field, length, MAX);
        if (spans == null) {
            return "416";
        }
        return spans.isEmpty()
                ? "200"
                : spans.stream().map(span -> span.first() + "+" + span.bytes()).collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=0-0|0+1",
                "bytes=0-|0+1000",
                "bytes=500-600|500+101",
                "Bytes=500-600|500+101",
                "bytes=999-5000|999+1",
                "bytes=1000-|416",
                "bytes=1000-2000|416",
                "bytes=-1|999+1",
                "bytes=-5000|0+1000",
                "bytes=-0|416",
                "bytes=0-99999999999999999999|0+1000",
                "bytes=99999999999999999999-|416",
                "bytes=-99999999999999999999|0+1000",
                "bytes= 1-2 , 500-501 |1+2 500+2",
                "bytes=500-501,1-2|500+2 1+2",
                "bytes=,1-2,,|1+2",
                "bytes=1-2,2000-|1+2",
                "bytes=2000-,3000-|416",
                "bytes=|200",
                "bytes=,|200",
                "bytes=2-1|200",
                "bytes=a-b|200",
                "bytes=1-2x|200",
                "bytes=-|200",
                "bytes=--1|200",
                "bytes=1-2,x|200",
                "bytes=+1-2|200",
                "bytes 1-2|200",
                "items=1-2|200",
                "bytes=1-2,200-201,400-401,600-601|1+2 200+2 400+2 600+2",
                "bytes=1-2,200-201,400-401,600-601,800-801|200"
            })
    void areUnderstood(String field, String expected) {
        assertThat(of(field, 1000)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=0-,0-,0-|0+1000",
                "bytes=0-99,50-149|0+150",
                "bytes=50-149,0-99|0+150",
                "bytes=0-9,20-29|0+30",
                "bytes=0-9,91-99|0+10 91+9",
                "bytes=600-,0-9,500-700|0+10 500+500"
            })
    void whatOverlapsOrNearlyTouchesIsSentOnce(String field, String expected) {
        assertThat(of(field, 1000)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"bytes=0-,416", "bytes=-5,416", "bytes=0-0,416", "x,200"})
    void ofAnEmptyFileNothingIsThere(String field, String expected) {
        assertThat(of(field, 0)).isEqualTo(expected);
    }

    @Test
    void manyCommasAreNoRanges() {
        assertThat(Objects.requireNonNull(ByteRanges.of("bytes=" + ",".repeat(8000) + "1-1", 10, MAX)))
                .hasSize(1);
    }
}
