package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.oooops.sigma.Allocation;
import net.oooops.sigma.memory.HeadMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames (RFC 9113 sections 4 and 6), wherever they are cut. */
class FrameReaderTest {
    private static final int BLOCK_BYTES_MAX = 40_000;
    private static final int CONTINUATIONS_MAX = 3;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private static FrameReader reader(boolean awaitsPreface) {
        Http2Room room = new Http2Room(new HeadMemory(Long.MAX_VALUE, () -> {}));
        return new FrameReader(room, awaitsPreface, BLOCK_BYTES_MAX, CONTINUATIONS_MAX);
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private FrameReaderTest frame(int type, int flags, int stream, String payload) {
        return frame(type, flags, stream, hex(payload));
    }

    private FrameReaderTest frame(int type, int flags, int stream, byte[] payload) {
        bytes.writeBytes(Http2Client.bytesOf(type, flags, stream, payload));
        return this;
    }

    private List<String> read() {
        return FrameLog.of(reader(false), bytes.toByteArray());
    }

    private String last() {
        return read().getLast();
    }

    /** One frame of each kind, and more than one of those that may have several forms. */
    private byte[] conversation() {
        bytes.writeBytes(Http2Client.preface());
        frame(4, 0, 0, "000300000064000400010000").frame(4, 1, 0, "");
        frame(1, 4 | 1, 1, "828684").frame(1, 4, 3, "82");
        frame(1, 4 | 8, 5, "02" + "8286" + "0000").frame(1, 4 | 0x20, 7, "0000000310" + "82");
        frame(1, 4 | 0x20 | 8 | 1, 9, "01" + "8000000910" + "8284" + "00");
        frame(1, 1, 11, "82").frame(9, 0, 11, "").frame(9, 4, 11, "8684");
        frame(0, 0, 3, "616263").frame(0, 8, 3, "03" + "6465" + "000000").frame(0, 0, 3, "");
        frame(0, 8, 3, "01" + "00").frame(0, 8 | 1, 3, "00" + "66").frame(0, 1, 5, "");
        frame(2, 0, 3, "0000000110").frame(3, 0, 3, "00000008").frame(6, 0, 0, "0102030405060708");
        frame(8, 0, 0, "00000100").frame(8, 0, 3, "80000100").frame(0x10, 0, 0, "00000003753d31");
        frame(0xFA, 0xFF, 0x7FFF_FFFF, "0102030405").frame(0x42, 0, 0, "");
        frame(7, 0, 0, "0000000b00000000" + "627965");
        return bytes.toByteArray();
    }

    /** What a node says that doesn't speak HTTP/2. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            485454502f312e312034303020 | FAILED FRAME_SIZE_ERROR: the node speaks HTTP/1.1
            485454502f312e302034303020 | FAILED FRAME_SIZE_ERROR: the node speaks HTTP/1.1
            485454502f322e302034303020 | FAILED FRAME_SIZE_ERROR: frame larger than was allowed
            15030300020246             | FAILED PROTOCOL_ERROR: the node speaks TLS
            150303000202461503030002   | FAILED PROTOCOL_ERROR: the node speaks TLS
            """)
    void whatANodeSaysThatSpeaksSomethingElse(String said, String expected) {
        assertThat(FrameLog.of(reader(false), hex(said)).getLast()).startsWith(expected);
        assertThat(FrameLog.of(reader(true), hex(said)).getLast()).endsWith("no preface of HTTP/2");
    }

    @Test
    void framesOfEveryKind() {
        assertThat(FrameLog.of(reader(true), conversation()))
                .containsExactly(
                        "CONTROL 4 0 0 000300000064000400010000",
                        "CONTROL 4 1 0 ",
                        "HEADERS 1 end 828684",
                        "HEADERS 3 82",
                        "HEADERS 5 8286",
                        "HEADERS 7 82",
                        "HEADERS 9 end on itself 8284",
                        "HEADERS 11 end 828684",
                        "DATA 3 3 616263",
                        "DATA 3 6 6465",
                        "DATA 3 0 ",
                        "DATA 3 2 ",
                        "DATA 3 2 end 66",
                        "DATA 5 0 end ",
                        "CONTROL 2 0 3 0000000110",
                        "CONTROL 3 0 3 00000008",
                        "CONTROL 6 0 0 0102030405060708",
                        "CONTROL 8 0 0 00000100",
                        "CONTROL 8 0 3 80000100",
                        "CONTROL 16 0 0 00000003753d31",
                        "UNKNOWN 250",
                        "UNKNOWN 66",
                        "CONTROL 7 0 0 0000000b00000000627965");
    }

    @Test
    void cutsChangeNothing() {
        byte[] all = conversation();
        List<String> whole = FrameLog.of(reader(true), all);
        for (int cut = 0; cut <= all.length; cut++) {
            assertThat(FrameLog.of(reader(true), all, cut)).as("cut at %s", cut).isEqualTo(whole);
        }
        int[] everywhere = IntStream.range(1, all.length).toArray();
        assertThat(FrameLog.of(reader(true), all, everywhere)).isEqualTo(whole);
        Random random = new Random(9113);
        for (int i = 0; i < 200; i++) {
            int[] some = random.ints(7, 0, all.length).sorted().toArray();
            assertThat(FrameLog.of(reader(true), all, some)).isEqualTo(whole);
        }
    }

    /** What a reader fails with is the same, too, and it fails before what comes behind is looked at. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    00400100 00 00000001 | FRAME_SIZE_ERROR: frame larger than was allowed
                    00000000 00 00000000 | PROTOCOL_ERROR: frame without its stream
                    00000101 00 00000000 | PROTOCOL_ERROR: frame without its stream
                    00000502 00 00000000 | PROTOCOL_ERROR: frame without its stream
                    00000403 00 00000000 | PROTOCOL_ERROR: frame without its stream
                    00000004 00 00000001 | PROTOCOL_ERROR: frame of the connection on a stream
                    00000806 00 00000001 | PROTOCOL_ERROR: frame of the connection on a stream
                    00000807 00 00000001 | PROTOCOL_ERROR: frame of the connection on a stream
                    00000410 00 00000001 | PROTOCOL_ERROR: frame of the connection on a stream
                    00000009 04 00000001 | PROTOCOL_ERROR: CONTINUATION of nothing
                    00000009 04 00000000 | PROTOCOL_ERROR: CONTINUATION of nothing
                    00000005 00 00000001 | PROTOCOL_ERROR: PUSH_PROMISE
                    00000000 08 00000001 | FRAME_SIZE_ERROR: padded frame without the length of its padding
                    00000100 08 00000001 01 | PROTOCOL_ERROR: padding longer than its frame
                    00000001 0c 00000001 | FRAME_SIZE_ERROR: HEADERS shorter than its flags say
                    00000101 0c 00000001 01 | PROTOCOL_ERROR: padding longer than its frame
                    00000401 24 00000001 00000003 | FRAME_SIZE_ERROR: HEADERS shorter than its flags say
                    00000501 2c 00000001 0000000310 | FRAME_SIZE_ERROR: HEADERS shorter than its flags say
                    00000601 2c 00000001 010000000310 | PROTOCOL_ERROR: padding longer than its frame
                    """)
    void framesThatAreWrong(String frame, String failure) {
        byte[] wrong = hex(frame.replace(" ", ""));
        assertThat(FrameLog.of(reader(false), wrong)).containsExactly("FAILED " + failure);
        int[] everywhere = IntStream.range(1, wrong.length).toArray();
        assertThat(FrameLog.of(reader(false), wrong, everywhere)).containsExactly("FAILED " + failure);
    }

    @Test
    void aPrefaceThatIsNone() {
        byte[] preface = Http2Client.preface();
        for (int at = 0; at < preface.length; at++) {
            byte[] other = preface.clone();
            other[at] ^= 0x20;
            assertThat(FrameLog.of(reader(true), other)).containsExactly("FAILED PROTOCOL_ERROR: no preface of HTTP/2");
        }
        assertThat(FrameLog.of(reader(true), "GET / HTTP/1.1\r\n".getBytes(US_ASCII)))
                .containsExactly("FAILED PROTOCOL_ERROR: no preface of HTTP/2");
        assertThat(FrameLog.of(reader(true), preface)).isEmpty();
    }

    @Test
    void nothingComesBetweenTheFramesOfAHeaderBlock() {
        for (int type = 0; type < 0x12; type++) {
            bytes.reset();
            frame(1, 0, 1, "82").frame(type, 4, type == 9 ? 3 : 1, "0000000000000000");
            assertThat(read()).containsExactly("FAILED PROTOCOL_ERROR: header block interrupted");
        }
    }

    @Test
    void headerBlocksOfManyFrames() {
        frame(1, 0, 1, "82");
        for (int i = 0; i < CONTINUATIONS_MAX; i++) {
            frame(9, i + 1 == CONTINUATIONS_MAX ? 4 : 0, 1, "84");
        }
        assertThat(last()).isEqualTo("HEADERS 1 82848484");
        frame(1, 0, 3, "82");
        for (int i = 0; i <= CONTINUATIONS_MAX; i++) {
            frame(9, 0, 3, "");
        }
        assertThat(last()).startsWith("FAILED ENHANCE_YOUR_CALM: more CONTINUATION frames");
    }

    @Test
    void headerBlocksThatAreTooLong() {
        byte[] full = new byte[16_384];
        frame(1, 0, 1, full).frame(9, 0, 1, full).frame(9, 4, 1, new byte[BLOCK_BYTES_MAX - 2 * full.length]);
        assertThat(last()).startsWith("HEADERS 1 0000").hasSize("HEADERS 1 ".length() + 2 * BLOCK_BYTES_MAX);
        bytes.reset();
        frame(1, 0, 1, full).frame(9, 0, 1, full).frame(9, 4, 1, new byte[BLOCK_BYTES_MAX + 1 - 2 * full.length]);
        assertThat(last()).startsWith("FAILED ENHANCE_YOUR_CALM: header block longer");
    }

    /** RFC 7540 section 5.3.1, however the block goes on. */
    @Test
    void aStreamThatDependsOnItselfIsToldOfWithItsWholeBlock() {
        frame(1, 0x20, 3, "0000000310" + "82").frame(9, 4, 3, "84").frame(1, 4, 5, "82");
        assertThat(read()).containsExactly("HEADERS 3 on itself 8284", "HEADERS 5 82");
    }

    @Test
    void theLargestFrameIsTaken() {
        byte[] full = new byte[16_384];
        frame(0, 1, 1, full).frame(0xFA, 0, 0, full).frame(4, 0, 0, full);
        assertThat(read()).hasSize(3).noneMatch(line -> line.startsWith("FAILED"));
        frame(0xFA, 0, 0, new byte[16_385]);
        assertThat(last()).isEqualTo("FAILED FRAME_SIZE_ERROR: frame larger than was allowed");
    }

    /** Neither for heads nor for bodies, where a frame comes whole. */
    @Test
    void nothingIsAllocated() {
        frame(1, 4, 1, "828684")
                .frame(0, 0, 1, "616263")
                .frame(8, 0, 0, "00000100")
                .frame(0, 1, 1, "");
        ByteBuf in = Unpooled.wrappedBuffer(bytes.toByteArray());
        FrameReader reader = reader(false);
        assertThat(Allocation.bytes(() -> {
                    in.readerIndex(0);
                    FrameReader.Event event = reader.next(in);
                    while (event != FrameReader.Event.MORE) {
                        if (event == FrameReader.Event.CONTENT) {
                            in.skipBytes(reader.contentBytes());
                        }
                        event = reader.next(in);
                    }
                }))
                .isZero();
    }

    /** Who announces a frame may never send it: thousands of such connections hold what came. */
    @Test
    void whatIsAnnouncedIsNotHeld() {
        frame(1, 4, 1, new byte[16_384]);
        byte[] begun = Arrays.copyOf(bytes.toByteArray(), 20);
        Http2Room room = new Http2Room(new HeadMemory(Long.MAX_VALUE, () -> {}));
        assertThat(Allocation.bytes(() -> {
                    ByteBuf in = Unpooled.wrappedBuffer(begun);
                    new FrameReader(room, false, BLOCK_BYTES_MAX, CONTINUATIONS_MAX).next(in);
                }))
                .isLessThan(1_000);
    }

    /** What isn't whole of requests has a bound together. A node's connection isn't lost for what clients have sent. */
    @Test
    void onlyPiecesOfRequestsCountAsHeads() {
        byte[] begun = Arrays.copyOf(frame(1, 4, 1, new byte[16_000]).bytes.toByteArray(), 16_000);
        HeadMemory heads = new HeadMemory(8192, () -> {});
        Http2Room room = new Http2Room(heads);
        FrameReader ofNode = new FrameReader(room, false, BLOCK_BYTES_MAX, CONTINUATIONS_MAX);
        assertThat(ofNode.next(Unpooled.wrappedBuffer(begun))).isEqualTo(FrameReader.Event.MORE);
        assertThat(heads.bytes()).isZero();
        FrameReader ofClient = new FrameReader(room, true, BLOCK_BYTES_MAX, CONTINUATIONS_MAX);
        assertThat(ofClient.next(Unpooled.wrappedBuffer(Http2Client.preface(), begun)))
                .isEqualTo(FrameReader.Event.FAILED);
        ofClient.close();
        assertThat(heads.bytes()).isZero();
    }

    /** While nothing comes: a connection may be idle for long. */
    @Test
    void nothingOfWhatWasReadIsHeld() {
        frame(1, 1, 1, new byte[10_000]).frame(9, 4, 1, new byte[10_000]).frame(4, 0, 0, new byte[6]);
        byte[] all = bytes.toByteArray();
        FrameReader reader = reader(false);
        int heads = 0;
        for (int from = 0; from < all.length; from += 5_000) {
            ByteBuf in = Unpooled.wrappedBuffer(all, from, Math.min(5_000, all.length - from));
            for (FrameReader.Event event = reader.next(in); event != FrameReader.Event.MORE; event = reader.next(in)) {
                heads += event == FrameReader.Event.HEADERS ? 1 : 0;
            }
        }
        assertThat(heads).isEqualTo(1);
        assertThat(reader.block()).isEmpty();
        assertThat(reader.payload()).isEmpty();
    }
}
