package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.config.Http2Limits;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.http.Octets;

class RequestParserFuzzTest {
    /** Small, so that inputs reach them. */
    private static final Limits LIMITS =
            new Limits(64, 256, 96, 8, 256, 1, 1000, 1, 16, 64, 1 << 16, 1 << 16, 1, 1, 1, 1, 1, Http2Limits.DEFAULT);

    private static final String FIELD = "[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t\\x20-\\x7E\\x80-\\xFF]*\\r\\n";
    private static final Pattern HEAD =
            Pattern.compile("(\\r\\n)?[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!$%&'()*+,./0-9:;=@A-Z\\[\\]^_a-z|~-]*"
                    + "(\\?[!$%&'()*+,./0-9:;=?@A-Z\\[\\\\\\]^_`a-z{|}~-]*)? HTTP/1\\.[0-9]\\r\\n(" + FIELD
                    + ")*\\r\\n");

    /** However a request is cut, it is the same; what is taken for one looks like one; written on, it is read as the same. */
    @FuzzTest
    void aRequestIsTheSameHoweverItIsCut(byte[] input) {
        if (input.length < 3) {
            return;
        }
        byte[] raw = Arrays.copyOfRange(input, 2, input.length);
        int first = Math.min(input[0] & 0xFF, raw.length);
        int second = Math.clamp(input[1] & 0xFF, first, raw.length);
        String whole = accepted(Reading.request(List.of(raw), LIMITS));
        assertThat(accepted(Reading.request(Reading.cut(raw, first, second), LIMITS)))
                .isEqualTo(whole);
        assertThat(accepted(Reading.request(Reading.singly(raw), LIMITS))).isEqualTo(whole);
        if (!whole.isEmpty()) {
            int bytes = Integer.parseInt(whole.substring("done after ".length(), whole.indexOf(" body=")));
            String text = new String(raw, 0, bytes, ISO_8859_1);
            assertThat(HEAD.matcher(text).matches()).as(text).isTrue();
            writtenOn(Arrays.copyOf(raw, bytes));
        }
    }

    private static String accepted(String reading) {
        return reading.startsWith("done") ? reading : "";
    }

    private static void writtenOn(byte[] raw) {
        HttpRequestHead head = new HttpRequestHead();
        assertThat(WholeHead.readRequest(raw, head, LIMITS)).isNull();
        if (head.isAuthorityForm()) {
            return;
        }
        if (head.target().pathStart() == head.target().pathEnd()) {
            head.replacePathPrefix(0, Ascii.of("/"));
        }
        if (head.isChunked()) {
            // Written on without a body, it announces no trailers either.
            head.drop(KnownField.TRAILER);
        }
        HeadWriter out = new HeadWriter().begin();
        out.requestLine(head);
        if (head.lacksHost()) {
            out.append(Octets.ascii("Host: "));
            out.append(head.received(), head.authorityStart(), head.authorityEnd());
            out.append(Octets.ascii("\r\n"));
        }
        out.fields(head);
        out.end();
        String written = Reading.text(out);
        HttpRequestHead again = new HttpRequestHead();
        assertThat(WholeHead.readRequest(written.getBytes(ISO_8859_1), again, Limits.DEFAULT))
                .as(written)
                .isNull();
        assertThat(Reading.written(again)).isEqualTo(written);
        assertThat(again.hasBody()).isFalse();
    }
}
