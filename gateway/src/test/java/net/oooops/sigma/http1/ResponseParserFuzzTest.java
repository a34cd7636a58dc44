package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import net.oooops.sigma.config.Http2Limits;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.KnownField;

class ResponseParserFuzzTest {
    /** Small, so that inputs reach them. */
    private static final Limits LIMITS =
            new Limits(64, 256, 96, 8, 256, 1, 1000, 1, 16, 64, 1 << 16, 1 << 16, 1, 1, 1, 1, 1, Http2Limits.DEFAULT);

    private static final String FIELD = "[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t\\x20-\\x7E\\x80-\\xFF]*\\r\\n";
    private static final Pattern HEAD = Pattern.compile(
            "HTTP/1\\.[0-9] [1-5][0-9][0-9]( [\\t\\x20-\\x7E\\x80-\\xFF]*)?\\r\\n(" + FIELD + ")*\\r\\n");

    /** However a response is cut, it is the same; what is taken for one looks like one; written on, it is read as the same. */
    @FuzzTest
    void aResponseIsTheSameHoweverItIsCut(byte[] input) {
        if (input.length < 3) {
            return;
        }
        byte[] raw = Arrays.copyOfRange(input, 2, input.length);
        int first = Math.min(input[0] & 0xFF, raw.length);
        int second = Math.clamp(input[1] & 0xFF, first, raw.length);
        String whole = accepted(Reading.response(List.of(raw), LIMITS));
        assertThat(accepted(Reading.response(Reading.cut(raw, first, second), LIMITS)))
                .isEqualTo(whole);
        assertThat(accepted(Reading.response(Reading.singly(raw), LIMITS))).isEqualTo(whole);
        if (!whole.isEmpty()) {
            int bytes = Integer.parseInt(whole.substring("done after ".length(), whole.indexOf(" date=")));
            String text = new String(raw, 0, bytes, ISO_8859_1);
            assertThat(HEAD.matcher(text).matches()).as(text).isTrue();
            String written = written(Reading.cut(raw, bytes).getFirst());
            assertThat(written(written.getBytes(ISO_8859_1))).isEqualTo(written);
        }
    }

    private static String accepted(String reading) {
        return reading.startsWith("done") ? reading : "";
    }

    /** The head as it goes on. */
    private static String written(byte[] raw) {
        HttpResponseHead head = new HttpResponseHead();
        head.append(Unpooled.wrappedBuffer(raw), raw.length);
        assertThat(ResponseParser.parse(head, Limits.DEFAULT)).isEqualTo(Step.DONE);
        // Written on without its framing.
        head.drop(KnownField.TRAILER);
        return Reading.written(head);
    }
}
