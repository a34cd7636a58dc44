package net.oooops.sigma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import net.oooops.sigma.tcp.HeaderParser.Step;

class HeaderParserFuzzTest {

    /** However it is cut, a header is read the same; and what was read of it, written again, says the same. */
    @FuzzTest
    void cutsChangeNothing(byte[] raw) {
        HeaderParser whole = new HeaderParser();
        ByteBuf all = Unpooled.wrappedBuffer(raw);
        Step step = whole.parse(all);
        HeaderParser cut = new HeaderParser();
        Step stepwise = Step.MORE;
        for (int end = 0; end <= raw.length && stepwise == Step.MORE; end++) {
            stepwise = cut.parse(Unpooled.wrappedBuffer(raw, 0, end));
        }
        assertThat(stepwise).isEqualTo(step);
        assertThat(cut.endpoints()).isEqualTo(whole.endpoints());
        if (step == Step.REFUSED) {
            assertThat(cut.refusal()).isEqualTo(whole.refusal());
        }
        Endpoints endpoints = whole.endpoints();
        if (step == Step.DONE && endpoints != null) {
            ByteBuf written = HeaderWriter.v2(UnpooledByteBufAllocator.DEFAULT, endpoints);
            HeaderParser again = new HeaderParser();
            assertThat(again.parse(written)).isEqualTo(Step.DONE);
            assertThat(again.endpoints()).isEqualTo(endpoints);
            written.release();
        }
    }
}
