package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import net.oooops.sigma.Allocation;
import org.junit.jupiter.api.Test;

/** Header blocks as they are written (RFC 7541), and what Netty reads of them, or writes to be read here. */
class HpackEncoderTest {
    private static final int TABLE_BYTES = 4096;
    private static final int BLOCKS = 3000;
    private static final String[] NAMES = {
        ":status",
        "date",
        "via",
        "server",
        "x-a",
        "x-some-longer-name",
        "content-type",
        "content-length",
        "set-cookie",
        "authorization",
        "vary",
        "etag",
        "accept-encoding"
    };

    private final HpackEncoder encoder = new HpackEncoder();
    private final ByteBuf out = Unpooled.buffer();
    private final Random random = new Random(7541);

    private String written() {
        String hex = HexFormat.of().formatHex(ByteBufUtil.getBytes(out));
        out.clear();
        return hex;
    }

    private void field(String name, String value) {
        byte[] bytes = (name + value).getBytes(ISO_8859_1);
        encoder.field(bytes, 0, name.length(), name.length(), bytes.length);
    }

    /** The next block with one field. */
    private String block(String name, String value) {
        encoder.begin(out);
        field(name, value);
        return written();
    }

    private static String text(Random random, int bytesMax) {
        byte[] bytes = new byte[random.nextInt(bytesMax + 1)];
        for (int i = 0; i < bytes.length; i++) {
            // Mostly digits and letters, and some of all.
            bytes[i] = (byte) (random.nextInt(10) == 0 ? random.nextInt(256) : '0' + random.nextInt(75));
        }
        return new String(bytes, ISO_8859_1);
    }

    private List<String[]> someFields() {
        List<String[]> fields = new ArrayList<>();
        int count = random.nextInt(12);
        for (int i = 0; i < count; i++) {
            String name = NAMES[1 + random.nextInt(NAMES.length - 1)];
            String value = random.nextInt(3) == 0
                    ? text(random, random.nextInt(20) == 0 ? 3000 : 40)
                    : "value " + random.nextInt(6) + "x".repeat(random.nextInt(2) * 90);
            fields.add(new String[] {name, value});
        }
        return fields;
    }

    private static List<String> lines(List<String[]> fields) {
        return fields.stream().map(field -> field[0] + ": " + field[1]).toList();
    }

    // RFC 7541

    /** Appendix C.1, in what has five bits: the size of a table. */
    @Test
    void numbers() {
        encoder.tableBytesMax(10);
        encoder.begin(out);
        assertThat(written()).isEqualTo("2a");
        encoder.tableBytesMax(1337);
        encoder.begin(out);
        assertThat(written()).isEqualTo("3f9a0a");
        encoder.begin(out);
        assertThat(written()).as("said once").isEmpty();
    }

    /** Section 4.2: the smallest of several sizes is said, then the last one. */
    @Test
    void sizesOfTheTable() {
        encoder.tableBytesMax(0);
        encoder.tableBytesMax(4096);
        encoder.begin(out);
        assertThat(written()).isEqualTo("20" + "3fe11f");
        encoder.tableBytesMax(1 << 20);
        encoder.begin(out);
        assertThat(written()).as("no more than is used anyway").isEmpty();
        encoder.tableBytesMax(4096);
        encoder.begin(out);
        assertThat(written()).as("as it was").isEmpty();
    }

    @Test
    void statuses() {
        encoder.begin(out);
        for (int status : new int[] {200, 204, 206, 304, 400, 404, 500}) {
            encoder.status(status);
        }
        assertThat(written()).isEqualTo("88898a8b8c8d8e");
        encoder.status(302);
        encoder.status(599);
        assertThat(written()).isEqualTo("0803333032" + "0803353939");
    }

    /** What comes for the first time may never come again. */
    @Test
    void aFieldIsKeptWhenItComesAgain() {
        assertThat(block("x-a", "bcd")).startsWith("00");
        assertThat(block("x-a", "bcd")).startsWith("40");
        assertThat(block("x-a", "bcd")).isEqualTo("be");
        assertThat(block("X-A", "bcd")).as("in whatever case").isEqualTo("be");
        assertThat(block("x-a", "other")).as("by its name").startsWith("0f2f");
    }

    /** Section 7.1.3. */
    @Test
    void secretsAreNeverKept() {
        for (String name : List.of("authorization", "proxy-authorization", "cookie", "set-cookie")) {
            String first = block(name, "secret");
            assertThat(first).startsWith("1");
            assertThat(block(name, "secret")).isEqualTo(first);
            assertThat(block(name.toUpperCase(Locale.ROOT), "secret")).isEqualTo(first);
        }
    }

    @Test
    void largeFieldsAreNotKept() {
        String large = "v".repeat(1024 - 32 - 3);
        block("x-a", large);
        assertThat(block("x-a", large)).startsWith("40");
        String larger = large + "v";
        block("x-a", larger);
        assertThat(block("x-a", larger)).startsWith("0f2f");
    }

    /** Nothing is kept where nothing may be. */
    @Test
    void aPeerMayWantNoTable() {
        encoder.tableBytesMax(0);
        assertThat(block("x-a", "b")).startsWith("20");
        for (int i = 0; i < 3; i++) {
            assertThat(block("x-a", "b")).startsWith("00");
        }
    }

    /** The length of each byte's code is Netty's, and so is what both read of it. */
    @Test
    void codesOfAllBytes() throws Http2Exception {
        for (int b = 0; b < 256; b++) {
            String value = String.valueOf((char) b).repeat(64);
            byte[] bytes = value.getBytes(ISO_8859_1);
            HpackHuffman.encode(bytes, 0, bytes.length, out);
            assertThat(out.readableBytes()).isEqualTo(HpackHuffman.encodedBytes(bytes, 0, bytes.length));
            byte[] coded = ByteBufUtil.getBytes(out);
            out.clear();
            HpackRoom room = new HpackRoom();
            assertThat(HpackHuffman.decode(coded, 0, coded.length, room)).isTrue();
            assertThat(new String(room.bytes(), 0, room.length(), ISO_8859_1)).isEqualTo(value);
            ByteBuf theirs = Unpooled.buffer();
            netty().encodeHeaders(3, new DefaultHttp2Headers(false).add("a", value), theirs);
            if (coded.length < bytes.length) {
                assertThat(HexFormat.of().formatHex(ByteBufUtil.getBytes(theirs)))
                        .as("byte %s", b)
                        .endsWith(HexFormat.of().formatHex(coded));
            }
        }
    }

    private static DefaultHttp2HeadersEncoder netty() {
        return new DefaultHttp2HeadersEncoder(Http2HeadersEncoder.NEVER_SENSITIVE, false, 16, 0);
    }

    // Against another implementation

    /** What is written here, Netty reads, whatever size it allows meanwhile. */
    @Test
    void nettyReadsWhatIsWritten() throws Http2Exception {
        DefaultHttp2HeadersDecoder netty = new DefaultHttp2HeadersDecoder(false, 1 << 24);
        for (int i = 0; i < BLOCKS; i++) {
            if (random.nextInt(20) == 0) {
                int size = new int[] {0, 33, 100, 500, TABLE_BYTES, 1 << 16}[random.nextInt(6)];
                netty.configuration().maxHeaderTableSize(size);
                encoder.tableBytesMax(size);
            }
            List<String[]> fields = someFields();
            encoder.begin(out);
            encoder.status(200 + i % 400);
            fields.forEach(field -> field(field[0], field[1]));
            List<String> read = new ArrayList<>();
            netty.decodeHeaders(3, out).forEach(field -> read.add(field.getKey() + ": " + field.getValue()));
            out.clear();
            List<String> expected = new ArrayList<>(lines(fields));
            expected.addFirst(":status: " + (200 + i % 400));
            assertThat(read).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    /** What Netty writes is read here, with as much table as it likes to use. */
    @Test
    void whatNettyWritesIsRead() throws Http2Exception {
        DefaultHttp2HeadersEncoder netty = netty();
        HpackDecoder decoder = new HpackDecoder(TABLE_BYTES, new HpackRoom());
        for (int i = 0; i < BLOCKS; i++) {
            if (random.nextInt(20) == 0) {
                int size = new int[] {0, 33, 100, 500, TABLE_BYTES}[random.nextInt(5)];
                netty.configuration().maxHeaderTableSize(size);
            }
            List<String[]> fields = someFields();
            DefaultHttp2Headers headers = new DefaultHttp2Headers(false);
            fields.forEach(field -> headers.add(field[0], field[1]));
            netty.encodeHeaders(3, headers, out);
            byte[] block = ByteBufUtil.getBytes(out);
            out.clear();
            DecodedFields read = new DecodedFields();
            assertThat(decoder.decode(block, 0, block.length, read)).isTrue();
            assertThat(read.lines()).containsExactlyElementsOf(lines(fields));
        }
    }

    @Test
    void nothingIsAllocated() {
        byte[] lines = "X-A: some value, Date: Mon, 21 Oct 2013 20:13:21 GMT".getBytes(ISO_8859_1);
        Runnable block = () -> {
            out.clear();
            encoder.begin(out);
            encoder.status(302);
            encoder.field(lines, 0, 3, 5, 15);
            encoder.field(lines, 17, 21, 23, lines.length);
        };
        assertThat(Allocation.bytes(block)).isZero();
    }
}
