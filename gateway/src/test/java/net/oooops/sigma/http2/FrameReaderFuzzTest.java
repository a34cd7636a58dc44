package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.List;
import java.util.stream.IntStream;
import net.oooops.sigma.memory.HeadMemory;

class FrameReaderFuzzTest {
    private static FrameReader reader() {
        return new FrameReader(new Http2Room(new HeadMemory(Long.MAX_VALUE, () -> {})), false, 1000, 4);
    }

    /** However they are cut, frames are the same. */
    @FuzzTest
    void cutsChangeNothing(byte[] raw) {
        List<String> whole = FrameLog.of(reader(), raw);
        int[] everywhere = IntStream.range(1, Math.max(1, raw.length)).toArray();
        assertThat(FrameLog.of(reader(), raw, everywhere)).isEqualTo(whole);
        assertThat(FrameLog.of(reader(), raw, raw.length / 2)).isEqualTo(whole);
    }
}
