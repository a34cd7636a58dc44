package net.oooops.sigma.bolt;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.oooops.sigma.bolt.Frame.Step;

class FrameFuzzTest {
    private static final int BYTES_MAX = 4096;

    /** However it is cut, a frame is read the same; its parts lie within it, and another id and back change no byte. */
    @FuzzTest
    void cutsChangeNothing(byte[] raw) {
        Frame whole = new Frame(BYTES_MAX);
        ByteBuf all = Unpooled.wrappedBuffer(raw.clone());
        Step step = whole.parse(all);
        Frame cut = new Frame(BYTES_MAX);
        Step stepwise = Step.MORE;
        for (int end = 0; end <= raw.length && stepwise == Step.MORE; end++) {
            stepwise = cut.parse(Unpooled.wrappedBuffer(raw, 0, end));
        }
        assertThat(stepwise).isEqualTo(step);
        if (step == Step.REFUSED) {
            assertThat(cut.refusal()).isEqualTo(whole.refusal());
        }
        if (step == Step.DONE) {
            assertThat(cut.bytes()).isEqualTo(whole.bytes()).isBetween(20, Math.min(raw.length, BYTES_MAX));
            assertThat(whole.headerStart() + whole.headerBytes()).isLessThanOrEqualTo(whole.bytes());
            HeaderMap map = new HeaderMap();
            map.read(all, whole.headerStart(), whole.headerBytes());
            if (map.seek(new byte[] {'k'})) {
                assertThat(map.valueText()).isNotNull();
            }
            FrameWriter writer = new FrameWriter();
            int id = whole.id();
            writer.setId(all, whole.start(), whole, ~id);
            assertThat(whole.parse(all)).isEqualTo(Step.DONE);
            assertThat(whole.id()).isEqualTo(~id);
            writer.setId(all, whole.start(), whole, id);
            assertThat(all).isEqualTo(Unpooled.wrappedBuffer(raw));
        }
    }
}
