package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Whatever a client says first, it is looked at and left as it is; and what was whole once stays so when more comes. */
class HelloFuzzTest {
    /** What is understood of it can be said of no TLS, nor twice in different ways. */
    @FuzzTest
    void anyBytesAreUnderstoodOrNot(byte[] bytes) {
        ByteBuf all = Unpooled.wrappedBuffer(bytes);
        ClientHello understood = ClientHello.of(all);
        assertThat(all.readerIndex()).isZero();
        if (understood != null) {
            assertThat(bytes[0]).isEqualTo((byte) Hello.HANDSHAKE);
            assertThat(Hello.isWhole(all)).isTrue();
            assertThat(ClientHello.of(Unpooled.wrappedBuffer(bytes, new byte[] {1, 2, 3})))
                    .isEqualTo(understood);
        }
    }

    @FuzzTest
    void anyBytesAreWholeOrNot(byte[] bytes) {
        ByteBuf all = Unpooled.wrappedBuffer(bytes);
        boolean before = false;
        for (int end = 0; end <= bytes.length && end < 600; end++) {
            ByteBuf some = all.slice(0, end);
            boolean whole = Hello.isWhole(some);
            assertThat(some.readerIndex()).isZero();
            assertThat(whole || !before)
                    .as("whole at %s, and no longer at %s", end - 1, end)
                    .isTrue();
            before = whole;
        }
        Hello.isWhole(all);
    }
}
