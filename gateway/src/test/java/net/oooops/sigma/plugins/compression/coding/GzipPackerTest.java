package net.oooops.sigma.plugins.compression.coding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import net.oooops.sigma.Needed;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** gzip by the system's zlib and by the JDK: both make what the JDK reads. */
class GzipPackerTest {
    static final byte[] TEXT =
            "It was the best of times, it was the worst of times. ".repeat(400).getBytes(StandardCharsets.US_ASCII);
    static final int OUT_BYTES = 16 * 1024;

    @BeforeEach
    void systemHasZlib() {
        Needed.here(Zlib.whyNot() == null, "the system's zlib (Debian: zlib1g): " + Zlib.whyNot());
    }

    static DeflateParameters usual() {
        return DeflateParameters.ofLevel(6);
    }

    static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip().asReadOnlyBuffer();
    }

    private static byte[] whole(Coder coder, ByteBuffer in, int outEach) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(Deflates.stepped(coder, in, Coder.Until.READ, outEach));
        assertThat(in.hasRemaining()).isFalse();
        all.writeBytes(Deflates.stepped(coder, ByteBuffer.allocate(0), Coder.Until.FINISHED, outEach));
        return all.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void everyLevel(Deflates deflates) throws IOException {
        for (int level = 1; level <= 9; level++) {
            Coder coder = deflates.packer(DeflateParameters.ofLevel(level));
            for (int outEach : new int[] {20, 64, OUT_BYTES}) {
                assertThat(Deflates.unpacked(whole(coder, direct(TEXT), outEach)))
                        .isEqualTo(TEXT);
                coder.reset();
                assertThat(Deflates.unpacked(whole(coder, ByteBuffer.wrap(TEXT), outEach)))
                        .isEqualTo(TEXT);
                coder.reset();
            }
            coder.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void higherLevelsPackBetter(Deflates deflates) {
        byte[] text = words(200_000);
        int before = text.length;
        for (int level : new int[] {1, 4, 6}) {
            Coder coder = deflates.packer(DeflateParameters.ofLevel(level));
            int size = whole(coder, direct(text), OUT_BYTES).length;
            assertThat(size).isLessThan(before);
            before = size;
            coder.close();
        }
    }

    private static byte[] words(int size) {
        Random random = new Random(size);
        StringBuilder text = new StringBuilder();
        while (text.length() < size) {
            text.append(Integer.toString(random.nextInt(3000), 36)).append(' ');
        }
        return text.substring(0, size).getBytes(StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 10, 11, 12, 13, 14, 15})
    void everyWindowAndMemory(int windowBits) throws IOException {
        byte[] text = words(100_000);
        for (int memLevel = 1; memLevel <= 9; memLevel++) {
            Coder coder = Gzip.packer(new DeflateParameters(6, windowBits, memLevel));
            assertThat(Deflates.unpacked(whole(coder, direct(text), OUT_BYTES))).isEqualTo(text);
            coder.reset();
            assertThat(Deflates.unpacked(whole(coder, direct(text), 100))).isEqualTo(text);
            coder.close();
        }
    }

    /** What was seen longer ago than the window is large isn't found any more. */
    @ParameterizedTest
    @CsvSource({"9,200,true", "9,600,false", "12,3000,true", "12,5000,false", "15,30000,true"})
    void theWindowIsAsLargeAsAskedFor(int windowBits, int size, boolean found) {
        byte[] noise = new byte[size];
        new Random(size).nextBytes(noise);
        byte[] twice = Arrays.copyOf(noise, 2 * size);
        System.arraycopy(noise, 0, twice, size, size);
        Coder coder = Gzip.packer(new DeflateParameters(9, windowBits, 9));
        int packed = whole(coder, direct(twice), OUT_BYTES).length;
        coder.close();
        assertThat(packed < 1.7 * size).isEqualTo(found);
    }

    /** Each event can be read when it was flushed, however small the steps are. */
    @ParameterizedTest
    @EnumSource
    void whatIsFlushedCanBeRead(Deflates deflates) throws IOException {
        for (int outEach : new int[] {20, 64, OUT_BYTES}) {
            Coder coder = deflates.packer(usual());
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            for (int i = 0; i < 200; i++) {
                byte[] event = ("data: " + i * 7919 + "\n\n").getBytes(StandardCharsets.US_ASCII);
                said.writeBytes(event);
                packed.writeBytes(Deflates.stepped(coder, direct(event), Coder.Until.READ, outEach));
                packed.writeBytes(Deflates.stepped(coder, ByteBuffer.allocate(0), Coder.Until.FLUSHED, outEach));
                assertThat(Deflates.begun(packed.toByteArray(), said.size())).isEqualTo(said.toByteArray());
            }
            packed.writeBytes(Deflates.stepped(coder, ByteBuffer.allocate(0), Coder.Until.FINISHED, outEach));
            assertThat(Deflates.unpacked(packed.toByteArray())).isEqualTo(said.toByteArray());
            coder.close();
        }
    }

    /** A buffer's position and limit are heeded, on both sides, and no byte besides is touched. */
    @ParameterizedTest
    @EnumSource
    void onlyWhatIsBetweenPositionAndLimit(Deflates deflates) throws Exception {
        ByteBuffer in = ByteBuffer.allocateDirect(TEXT.length + 200);
        in.put(100, TEXT).limit(100 + TEXT.length).position(100);
        ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES);
        out.limit(OUT_BYTES - 1000).position(1000);
        Coder coder = deflates.packer(usual());
        assertThat(coder.step(in, out, Coder.Until.FINISHED)).isTrue();
        coder.close();
        assertThat(in.position()).isEqualTo(100 + TEXT.length);
        byte[] all = new byte[OUT_BYTES];
        out.get(0, all, 0, out.position());
        out.clear().get(OUT_BYTES - 1000, all, OUT_BYTES - 1000, 1000);
        assertThat(Arrays.copyOf(all, 1000)).containsOnly(0);
        assertThat(Deflates.unpacked(Arrays.copyOfRange(all, 1000, OUT_BYTES - 1000)))
                .isEqualTo(TEXT);
        assertThat(Arrays.copyOfRange(all, OUT_BYTES - 1000, OUT_BYTES)).containsOnly(0);
    }

    @ParameterizedTest
    @EnumSource
    void aBodyThatIsGivenUpLeavesNothing(Deflates deflates) throws IOException {
        Coder coder = deflates.packer(usual());
        byte[] expected = whole(coder, direct(TEXT), OUT_BYTES);
        for (Coder.Until until : new Coder.Until[] {Coder.Until.READ, Coder.Until.FLUSHED}) {
            coder.reset();
            Deflates.stepped(coder, direct(words(50_000)), until, OUT_BYTES);
            coder.reset();
            assertThat(whole(coder, direct(TEXT), OUT_BYTES)).isEqualTo(expected);
        }
        coder.close();
    }

    /** zlib says no to what isn't a stream any more, and so a fault of ours is no fault of memory. */
    @Test
    void whatIsClosedPacksNoMore() {
        Coder coder = new ZlibDeflate(usual());
        coder.close();
        coder.close();
        assertThatThrownBy(() -> Deflates.stepped(coder, direct(TEXT), Coder.Until.READ, OUT_BYTES))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("deflate gave -2");
        assertThatThrownBy(coder::reset).hasMessageContaining("deflateReset gave -2");
    }

    @Test
    void whatZlibDoesNotTakeIsSaid() {
        assertThatThrownBy(() -> new ZlibDeflate(new DeflateParameters(6, 16, 8)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("deflateInit2_ gave -2");
        assertThatThrownBy(() -> new ZlibDeflate(new DeflateParameters(6, 15, 10)))
                .hasMessageContaining("deflateInit2_ gave -2");
    }
}
