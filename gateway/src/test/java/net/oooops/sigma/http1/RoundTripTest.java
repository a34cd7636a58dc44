package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.oooops.sigma.config.Http2Limits;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.memory.RelayMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the writers write is what the parsers read. */
class RoundTripTest {
    private static final String HEAD = "PUT /a?b HTTP/1.1\r\nHost: a\r\nX-A: b\r\nx-b:\tc \r\nX-C:\r\n\r\n";

    private static HttpRequestHead parsed(String text) {
        HttpRequestHead head = new HttpRequestHead();
        assertThat(WholeHead.readRequest(text.getBytes(ISO_8859_1), head, Limits.DEFAULT))
                .isNull();
        return head;
    }

    @Test
    void whatGoesOnUnchangedIsCopiedAsItCame() {
        assertThat(Reading.written(parsed(HEAD))).isEqualTo(HEAD);
    }

    /** RFC 9112 section 2.3: the version is that of this side. */
    @Test
    void versionIsOfThisSide() {
        assertThat(Reading.written(parsed("GET / HTTP/1.0\r\n\r\n"))).isEqualTo("GET / HTTP/1.1\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: X-A\r\nX-A: 1\r\n",
                "X-A: 1\r\nX-A: 2\r\nConnection: x-a\r\n",
                "Keep-Alive: 1\r\nUpgrade: 2\r\nTE: 3\r\nTrailer: 4\r\n",
                "Content-Length: 3\r\n",
                "Transfer-Encoding: chunked\r\n",
                "Proxy-Connection: 1\r\nProxy-Authorization: 2\r\nHTTP2-Settings: 3\r\n"
            })
    void whatIsForOneConnectionStaysBehind(String fields) {
        for (String before : new String[] {"", "X-Before: 1\r\n"}) {
            for (String after : new String[] {"", "X-After: 1\r\n"}) {
                String kept = "GET / HTTP/1.1\r\nHost: a\r\n" + before + after + "\r\n";
                String head = "GET / HTTP/1.1\r\nHost: a\r\n" + before + fields + after + "\r\n";
                assertThat(Reading.written(parsed(head))).isEqualTo(kept);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 9, 10, 12345, 999_999_999_999L, Long.MAX_VALUE})
    void decimals(long number) {
        HeadWriter out = new HeadWriter().begin();
        out.decimal(number);
        assertThat(Reading.text(out)).isEqualTo("" + number);
    }

    /** A writer holds heads of any size, one after the other. */
    @Test
    void largeHeads() {
        HeadWriter out = new HeadWriter();
        for (int bytes : new int[] {10, 30_000, 5, 100_000, 1}) {
            HttpRequestHead head = new HttpRequestHead();
            String text =
                    "GET /" + "x".repeat(bytes) + " HTTP/1.1\r\nHost: a\r\nX-A: " + "y".repeat(bytes) + "\r\n\r\n";
            Limits wide = new Limits(
                    1 << 20,
                    1 << 20,
                    1 << 20,
                    100,
                    1 << 20,
                    1,
                    1,
                    1,
                    1,
                    1,
                    1 << 16,
                    1 << 16,
                    1,
                    1,
                    1,
                    1,
                    1,
                    Http2Limits.DEFAULT);
            assertThat(WholeHead.readRequest(text.getBytes(ISO_8859_1), head, wide))
                    .isNull();
            out.begin().append((byte) '!');
            out.requestLine(head);
            out.fields(head);
            out.end();
            assertThat(Reading.text(out)).isEqualTo("!" + text);
            assertThat(out.length()).isEqualTo(text.length() + 1);
        }
    }

    /** Chunks of every size around the sizes of buffers and of the number of digits, then trailers. */
    @Test
    void chunks() {
        Random random = new Random(1);
        List<Integer> sizes =
                new ArrayList<>(List.of(0, 1, 15, 16, 255, 256, 511, 512, 4095, 4096, 4097, 65535, 65536, 100_000));
        random.ints(100, 0, 9000).forEach(sizes::add);
        EmbeddedChannel channel = new EmbeddedChannel();
        Outlet outlet = new Outlet(channel, RelayMemory.unbounded(), 1 << 20);
        StringBuilder sent = new StringBuilder();
        for (int size : sizes) {
            byte[] content = new byte[size];
            random.nextBytes(content);
            sent.append(new String(content, ISO_8859_1));
            ByteBuf slice = Unpooled.wrappedBuffer(content);
            Chunks.write(outlet, slice, size);
            slice.release();
        }
        Chunks.end(outlet, null, new HeadWriter());
        outlet.flush();
        ByteBuf wire = Unpooled.buffer();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            wire.writeBytes(part);
            part.release();
        }
        byte[] raw = new byte[wire.readableBytes()];
        wire.readBytes(raw);
        assertThat(outlet.takeWrittenBytes()).isEqualTo(raw.length);
        assertThat(Reading.chunked(List.of(raw), Limits.DEFAULT))
                .isEqualTo("done after " + raw.length + "\n" + sent + "\n");
        channel.finishAndReleaseAll();
    }
}
