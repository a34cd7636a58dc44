package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** When a ClientHello is whole. */
class HelloTest {
    /** A message of so many bytes, in records of so many. */
    private static ByteBuf hello(int bytes, int perRecord) {
        ByteBuf message = Unpooled.buffer().writeByte(1).writeMedium(bytes).writeZero(bytes);
        ByteBuf out = Unpooled.buffer();
        while (message.isReadable()) {
            int length = Math.min(perRecord, message.readableBytes());
            out.writeByte(Hello.HANDSHAKE).writeShort(0x0301).writeShort(length).writeBytes(message, length);
        }
        return out;
    }

    private static void isWholeAtItsEnd(ByteBuf hello) {
        for (int i = 0; i < hello.readableBytes(); i++) {
            assertThat(Hello.isWhole(hello.slice(0, i))).as("%s bytes", i).isFalse();
        }
        assertThat(Hello.isWhole(hello)).isTrue();
        assertThat(Hello.isWhole(hello.copy().writeByte(1))).isTrue();
        assertThat(hello.readerIndex()).isZero();
    }

    @Test
    void itIsWholeWithItsLastByte() {
        isWholeAtItsEnd(hello(600, 1 << 14));
        isWholeAtItsEnd(hello(1800, 200));
        isWholeAtItsEnd(hello(10, 1));
        isWholeAtItsEnd(hello(0, 3));
    }

    @Test
    void whatNoEngineTakesIsGivenToItAtOnce() {
        assertThat(Hello.isWhole(Unpooled.wrappedBuffer(new byte[] {22, 3, 1, 0, 0})))
                .isTrue();
        assertThat(Hello.isWhole(Unpooled.wrappedBuffer(new byte[] {22, 3, 1, (byte) 0xFF, 0})))
                .isTrue();
        assertThat(Hello.isWhole(Unpooled.wrappedBuffer(new byte[] {22, 3, 1, 0, 4, 1, 1, 0, 0})))
                .isTrue();
        ByteBuf other = hello(600, 300);
        other.setByte(305, 23);
        assertThat(Hello.isWhole(other)).isTrue();
        ByteBuf cut = hello(600, 1);
        assertThat(Hello.isWhole(cut)).isTrue();
        assertThat(Hello.isWhole(cut.slice(0, cut.readableBytes() - 1))).isFalse();
        ByteBuf more = hello(2000, 1);
        assertThat(Hello.isWhole(more.slice(0, 6 * 1025))).isFalse();
        assertThat(Hello.isWhole(more.slice(0, 6 * 1026))).isTrue();
    }
}
