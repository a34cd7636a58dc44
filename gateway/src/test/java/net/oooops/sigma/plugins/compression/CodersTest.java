package net.oooops.sigma.plugins.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.plugins.compression.coding.Coder;
import net.oooops.sigma.plugins.compression.coding.Coders;
import net.oooops.sigma.plugins.compression.coding.Coding;
import net.oooops.sigma.plugins.compression.coding.Scratch;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Each coding, written by Sigma and read by others and the other way round, in parts of any size. */
class CodersTest {
    private static final byte[] TEXT =
            "It was the best of times, it was the worst of times. ".repeat(40).getBytes(StandardCharsets.US_ASCII);

    private static Coder loaded(Coding coding, boolean packs) {
        assertThat(coding.load()).isNull();
        return packs ? coding.packer(coding.levelMin()) : coding.unpacker();
    }

    /** Has a body pass a coder: so many bytes in at once, and so many out. */
    private static byte[] pass(Coder coder, byte[] body, int inEach, int outEach) throws RefusedBodyException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer out = ByteBuffer.allocateDirect(outEach);
        boolean direct = false;
        for (int from = 0; from < body.length; from += inEach) {
            byte[] part = Arrays.copyOfRange(body, from, Math.min(body.length, from + inEach));
            direct = !direct;
            ByteBuffer in = direct
                    ? ByteBuffer.allocateDirect(part.length).put(part).flip().asReadOnlyBuffer()
                    : ByteBuffer.wrap(part).asReadOnlyBuffer();
            step(coder, in, Coder.Until.READ, out, all);
        }
        step(coder, ByteBuffer.allocate(0), Coder.Until.FINISHED, out, all);
        return all.toByteArray();
    }

    private static void step(Coder coder, ByteBuffer in, Coder.Until until, ByteBuffer out, ByteArrayOutputStream all)
            throws RefusedBodyException {
        boolean done = false;
        while (!done) {
            done = coder.step(in, out.clear(), until);
            byte[] made = new byte[out.flip().remaining()];
            out.get(made);
            all.writeBytes(made);
        }
        assertThat(in.hasRemaining()).isFalse();
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "DEFLATE")
    void othersReadWhatIsPacked(Coding coding) throws Exception {
        Coder coder = loaded(coding, true);
        for (byte[] body : new byte[][] {{}, {1}, TEXT, random(100_000), new byte[1 << 20]}) {
            for (int each : new int[] {1 << 20, 10_000, 777}) {
                assertThat(Decoded.of(coding.token(), pass(coder, body, each, 64)))
                        .isEqualTo(body);
                coder.reset();
                assertThat(Decoded.of(coding.token(), pass(coder, body, each, 16_384)))
                        .isEqualTo(body);
                coder.reset();
            }
        }
        coder.close();
    }

    @ParameterizedTest
    @EnumSource
    void whatOthersPackIsRead(Coding coding) throws Exception {
        Coder coder = loaded(coding, false);
        for (byte[] body : new byte[][] {{}, {1}, TEXT, random(100_000), new byte[1 << 20]}) {
            byte[] packed = Decoded.encoded(coding.token(), body);
            for (int each : new int[] {1 << 20, 10_000, 777, 1}) {
                assertThat(pass(coder, packed, each, 100)).isEqualTo(body);
                coder.reset();
                assertThat(pass(coder, packed, each, 16_384)).isEqualTo(body);
                coder.reset();
            }
        }
        coder.close();
    }

    /** Cut at every byte. */
    @ParameterizedTest
    @EnumSource
    void whatIsTruncatedIsRefused(Coding coding) throws Exception {
        byte[] packed = Decoded.encoded(coding.token(), TEXT);
        Coder coder = loaded(coding, false);
        for (int length = 1; length < packed.length; length++) {
            byte[] cut = Arrays.copyOf(packed, length);
            assertThatThrownBy(() -> pass(coder, cut, 50, 1000))
                    .as("%d of %d", length, packed.length)
                    .isInstanceOf(RefusedBodyException.class)
                    .hasMessageContaining("ends before");
            coder.reset();
        }
        coder.close();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsGarbageIsRefused(Coding coding) {
        Coder coder = loaded(coding, false);
        for (byte[] body : new byte[][] {TEXT, random(1000)}) {
            assertThatThrownBy(() -> pass(coder, body, 50, 1000)).isInstanceOf(RefusedBodyException.class);
            coder.reset();
        }
        coder.close();
    }

    @ParameterizedTest
    @EnumSource
    void whatFollowsIsRefused(Coding coding) throws Exception {
        byte[] packed = Decoded.encoded(coding.token(), TEXT);
        byte[] longer = Arrays.copyOf(packed, packed.length + 1);
        longer[packed.length] = 7;
        Coder coder = loaded(coding, false);
        assertThatThrownBy(() -> pass(coder, longer, packed.length, 1000)).isInstanceOf(RefusedBodyException.class);
        coder.close();
    }

    /** Members of gzip and frames of zstd may follow each other, those that are skipped among them. */
    @ParameterizedTest
    @CsvSource({"GZIP,1", "GZIP,1000", "ZSTD,1", "ZSTD,1000"})
    void severalMembersAreOneBody(Coding coding, int each) throws Exception {
        byte[] one = Decoded.encoded(coding.token(), TEXT);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (coding == Coding.ZSTD) {
            all.writeBytes(new byte[] {0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 9, 9, 9});
        }
        all.writeBytes(one);
        all.writeBytes(one);
        Coder coder = loaded(coding, false);
        byte[] twice = pass(coder, all.toByteArray(), each, 1000);
        assertThat(twice).hasSize(2 * TEXT.length).startsWith(TEXT).endsWith(TEXT);
        coder.close();
    }

    /** What was flushed can be read, though more may come. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "DEFLATE")
    void whatIsFlushedCanBeRead(Coding coding) throws Exception {
        Coder packer = loaded(coding, true);
        Coder unpacker = loaded(coding, false);
        ByteBuffer out = ByteBuffer.allocateDirect(64);
        for (int i = 0; i < 100; i++) {
            byte[] event = ("data: " + i + "\n\n").getBytes(StandardCharsets.US_ASCII);
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            step(packer, ByteBuffer.wrap(event), Coder.Until.READ, out, packed);
            step(packer, ByteBuffer.allocate(0), Coder.Until.FLUSHED, out, packed);
            ByteArrayOutputStream seen = new ByteArrayOutputStream();
            step(unpacker, ByteBuffer.wrap(packed.toByteArray()), Coder.Until.READ, out, seen);
            assertThat(seen.toByteArray()).isEqualTo(event);
        }
        packer.close();
        unpacker.close();
    }

    /** RFC 9659: no more memory than for 8 MiB, also where a second frame asks. */
    @ParameterizedTest
    @CsvSource({"0,false", "0,true", "1,false", "1,true"})
    void largeWindowsOfZstdAreRefused(int framesBefore, boolean singleSegment) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < framesBefore; i++) {
            all.writeBytes(Decoded.encoded("zstd", TEXT));
        }
        // A window of 2^24 bytes, or as much content in one segment.
        byte[] head = singleSegment
                ? new byte[] {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD, (byte) 0xA0, 0, 0, 0, 1}
                : new byte[] {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD, 0, (14 << 3)};
        all.writeBytes(head);
        all.writeBytes(new byte[] {1, 0, 0});
        for (int each : new int[] {1, 1000}) {
            Coder coder = loaded(Coding.ZSTD, false);
            assertThatThrownBy(() -> pass(coder, all.toByteArray(), each, 1000))
                    .isInstanceOfSatisfying(
                            RefusedBodyException.class,
                            e -> assertThat(e.isTooLarge()).isTrue())
                    .hasMessageContaining("window of 16777216");
            coder.close();
        }
    }

    /** The bits of RFC 7932 section 9.1: no more memory than for 4 MiB. */
    @ParameterizedTest
    @CsvSource({"0,16", "1,17", "33,10", "3,18", "11,22", "13,23", "15,24"})
    void largeWindowsOfBrotliAreRefused(int first, int bits) {
        assertThat(Coding.BR.load()).isNull();
        byte[] body = {(byte) first, 0, 0, 0};
        for (int times = 0; times < 2; times++) {
            Coder coder = loaded(Coding.BR, false);
            AbstractThrowableAssert<?, ? extends Throwable> thrown = assertThatThrownBy(() -> {
                pass(coder, body, 1, 1000);
                throw new RefusedBodyException("taken");
            });
            if (bits > 22) {
                thrown.hasMessageContaining("window of 2^" + bits)
                        .isInstanceOfSatisfying(
                                RefusedBodyException.class,
                                e -> assertThat(e.isTooLarge()).isTrue());
            } else {
                thrown.hasMessageNotContaining("window");
            }
            coder.close();
        }
    }

    /** The library packs with a window of 16 MiB where it is asked to. */
    @Test
    void whatIsPackedWithALargeWindowIsRefused() throws Exception {
        assertThat(Coding.BR.load()).isNull();
        for (int bits : new int[] {22, 24}) {
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            Encoder.Parameters parameters =
                    new Encoder.Parameters().setQuality(1).setWindow(bits);
            try (BrotliOutputStream out = new BrotliOutputStream(packed, parameters)) {
                out.write(TEXT);
            }
            Coder coder = loaded(Coding.BR, false);
            if (bits == 22) {
                assertThat(pass(coder, packed.toByteArray(), 7, 1000)).isEqualTo(TEXT);
            } else {
                assertThatThrownBy(() -> pass(coder, packed.toByteArray(), 7, 1000))
                        .hasMessageContaining("window of 2^24");
            }
            coder.close();
        }
    }

    /** RFC 1952 section 2.3.1: a header may have a checksum. */
    @Test
    void theChecksumOfAGzipHeaderIsRead() throws Exception {
        byte[] plain = Decoded.encoded("gzip", TEXT);
        byte[] body = new byte[plain.length + 2];
        System.arraycopy(plain, 0, body, 0, 10);
        System.arraycopy(plain, 10, body, 12, plain.length - 10);
        body[3] = 2;
        CRC32 crc = new CRC32();
        crc.update(body, 0, 10);
        body[10] = (byte) crc.getValue();
        body[11] = (byte) (crc.getValue() >> 8);
        Coder coder = loaded(Coding.GZIP, false);
        assertThat(pass(coder, body, 1, 1000)).isEqualTo(TEXT);
        body[11]++;
        assertThatThrownBy(() -> pass(coder, body, 1, 1000)).hasMessageContaining("checksum of its header");
        coder.close();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "DEFLATE")
    void codersAreUsedAgainWhateverBecameOfTheBodyBefore(Coding coding) throws Exception {
        Coders coders = new Coders(() -> loaded(coding, true));
        Coder first = coders.take();
        first.step(ByteBuffer.wrap(random(5000)), Scratch.out(), Coder.Until.READ);
        coders.give(first);
        Coder again = coders.take();
        assertThat(again).isSameAs(first);
        assertThat(coders.take()).isNotSameAs(first);
        assertThat(Decoded.of(coding.token(), pass(again, TEXT, 100, 1000))).isEqualTo(TEXT);
        coders.give(again);
        coders.close();
        coders.give(loaded(coding, true));
        assertThat(coders.take()).isNotSameAs(again);
    }

    /** Each costs time, whatever becomes of it; whoever packs in parts has more in each. */
    @ParameterizedTest
    @CsvSource({"GZIP, 0", "GZIP, 511", "ZSTD, 0", "ZSTD, 511"})
    void manyPartsThatBecomeNextToNothingAreRefused(Coding coding, int size) throws Exception {
        Coder coder = loaded(coding, false);
        byte[] part = Decoded.encoded(coding.token(), new byte[size]);
        byte[] most = repeated(part, 10_000);
        for (int each : new int[] {1 << 20, 777}) {
            assertThat(pass(coder, most, each, 16_384)).hasSize(10_000 * size);
            coder.reset();
            assertThatThrownBy(() -> pass(coder, repeated(part, 10_001), each, 16_384))
                    .isInstanceOfSatisfying(
                            RefusedBodyException.class,
                            e -> assertThat(e.isTooLarge()).isTrue())
                    .hasMessageContaining("more than 10000 parts of " + coding.token());
            coder.reset();
        }
        byte[] others = repeated(Decoded.encoded(coding.token(), new byte[512]), 10_001);
        assertThat(pass(coder, others, 1 << 20, 16_384)).hasSize(10_001 * 512);
        coder.close();
    }

    private static byte[] repeated(byte[] part, int times) {
        ByteBuffer all = ByteBuffer.allocate(part.length * times);
        for (int i = 0; i < times; i++) {
            all.put(part);
        }
        return all.array();
    }
}
