package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Refusal;
import org.junit.jupiter.api.Test;

class ResponseReaderTest {
    private static final int INTERIM_MAX = Limits.DEFAULT.interimResponseCountMax();
    private static final String HINT = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";

    private final ResponseReader reader = new ResponseReader(Limits.DEFAULT);
    private final HttpResponseHead head = new HttpResponseHead();

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, ISO_8859_1);
    }

    @Test
    void whatFollowsTheHeadStays() {
        reader.begin(false);
        ByteBuf in = bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP");
        assertThat(reader.head(in, head)).isEqualTo(Step.DONE);
        reader.beginBody(head, false);
        assertThat(reader.isEnd()).isFalse();
        assertThat(reader.body(in)).isEqualTo(BodyDecoder.Part.CONTENT);
        assertThat(reader.contentBytes()).isEqualTo(3);
        assertThat(in.readCharSequence(3, ISO_8859_1)).hasToString("abc");
        assertThat(reader.isEnd()).isTrue();
        assertThat(in.toString(ISO_8859_1)).isEqualTo("HTTP");
    }

    @Test
    void theAnswerToAHeadHasNoBody() {
        reader.begin(false);
        assertThat(reader.head(bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), head))
                .isEqualTo(Step.DONE);
        reader.beginBody(head, true);
        assertThat(reader.isEnd()).isTrue();
    }

    @Test
    void interimResponsesAreCountedForEachRequest() {
        for (int request = 0; request < 2; request++) {
            reader.begin(false);
            for (int i = 0; i < INTERIM_MAX; i++) {
                head.clear();
                assertThat(reader.head(bytes(HINT), head)).isEqualTo(Step.DONE);
            }
        }
        head.clear();
        assertThat(reader.head(bytes(HINT), head)).isEqualTo(Step.REFUSED);
        assertThat(reader.refusal()).isEqualTo(Refusal.INTERIM_COUNT);
    }

    @Test
    void successAnswersAConnectWhateverItSaysOfABody() {
        reader.begin(true);
        ByteBuf in = bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc");
        assertThat(reader.head(in, head)).isEqualTo(Step.DONE);
        assertThat(head.isSwitch()).isTrue();
        assertThat(in.toString(ISO_8859_1)).isEqualTo("abc");
    }

    @Test
    void whatIsRefusedSaysWhy() {
        reader.begin(false);
        ByteBuf in = bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc");
        assertThat(reader.head(in, head)).isEqualTo(Step.REFUSED);
        assertThat(reader.refusal()).isEqualTo(Refusal.LENGTH_AND_CODING);
    }
}
