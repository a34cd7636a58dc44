package net.oooops.sigma.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import net.oooops.sigma.http.BodySink;
import org.junit.jupiter.api.Test;

/** Frames are followed however they are cut, and what Sigma says comes between two of them. */
class WebSocketWayTest {
    private static final byte[] GOING_AWAY = {(byte) 0x88, 2, 3, (byte) 0xE9};

    /** Keeps what passes. */
    private static final class Kept implements BodySink {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void content(ByteBuf in, int count) {
            byte[] part = new byte[count];
            in.readBytes(part);
            bytes.writeBytes(part);
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void flush() {}
    }

    private static byte[] frame(int first, int bytes, boolean masked) {
        var frame = new ByteArrayOutputStream();
        frame.write(first);
        int mask = masked ? 0x80 : 0;
        if (bytes < 126) {
            frame.write(bytes | mask);
        } else if (bytes < 65536) {
            frame.write(126 | mask);
            frame.write(bytes >> 8);
            frame.write(bytes);
        } else {
            frame.write(127 | mask);
            frame.writeBytes(new byte[4]);
            for (int shift = 24; shift >= 0; shift -= 8) {
                frame.write(bytes >> shift);
            }
        }
        if (masked) {
            frame.writeBytes(new byte[] {(byte) 0x88, (byte) 0x88, (byte) 0x88, (byte) 0x88});
        }
        byte[] payload = new byte[bytes];
        // What looks like the head of a Close frame is none in there.
        Arrays.fill(payload, (byte) 0x88);
        frame.writeBytes(payload);
        return frame.toByteArray();
    }

    private static int pass(WebSocketWay way, Kept to, byte[] bytes, int from, int end) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes, from, end - from);
        int passed = way.pass(to, in, end - from);
        assertThat(in.isReadable()).isFalse();
        return passed;
    }

    @Test
    void whereverItIsToldToLeaveTheFrameEndsFirst() {
        for (int size : new int[] {0, 1, 125, 126, 300, 65535, 65536, 70000}) {
            for (boolean masked : new boolean[] {false, true}) {
                byte[] frame = frame(0x82, size, masked);
                byte[] two = Arrays.copyOf(frame, frame.length * 2);
                System.arraycopy(frame, 0, two, frame.length, frame.length);
                for (int cut = 0;
                        cut <= frame.length;
                        cut += cut < 20 || cut > frame.length - 3 ? 1 : frame.length / 7 + 1) {
                    leaveAt(cut, frame, two);
                }
            }
        }
    }

    private static void leaveAt(int cut, byte[] frame, byte[] two) {
        WebSocketWay way = new WebSocketWay(false);
        Kept kept = new Kept();
        assertThat(pass(way, kept, two, 0, cut)).isEqualTo(cut);
        way.leave(kept);
        boolean between = cut == 0 || cut == frame.length;
        assertThat(way.isSaid()).as("cut at %d of %d", cut, frame.length).isEqualTo(between);
        int rest = between ? 0 : frame.length - cut;
        assertThat(pass(way, kept, two, cut, two.length)).isEqualTo(rest);
        assertThat(way.isSaid()).isTrue();
        int passed = cut + rest;
        byte[] expected = Arrays.copyOf(Arrays.copyOf(two, passed), passed + GOING_AWAY.length);
        System.arraycopy(GOING_AWAY, 0, expected, passed, GOING_AWAY.length);
        assertThat(kept.bytes.toByteArray()).isEqualTo(expected);
        assertThat(way.isClosing()).isFalse();
    }

    @Test
    void aCloseFrameIsNoticedWhetherOrNotItPasses() {
        byte[] frames = Arrays.copyOf(frame(0x01, 130, true), 138 + 8);
        System.arraycopy(frame(0x88, 2, true), 0, frames, 138, 8);
        for (boolean leaves : new boolean[] {false, true}) {
            WebSocketWay way = new WebSocketWay(true);
            Kept kept = new Kept();
            for (int i = 0; i < frames.length; i++) {
                assertThat(way.isClosed()).isFalse();
                pass(way, kept, frames, i, i + 1);
                if (leaves && i == 50) {
                    way.leave(kept);
                }
            }
            assertThat(way.isClosed()).isTrue();
            assertThat(way.isSaid()).isEqualTo(leaves);
            assertThat(kept.bytes.size()).isEqualTo(frames.length);
        }
    }

    /** RFC 6455 section 5.2 allows no length with the highest bit: there is no next frame then. */
    @Test
    void aLengthThatIsNoneHasNoEnd() {
        byte[] frame = {(byte) 0x82, 127, -1, -1, -1, -1, -1, -1, -1, -1, 1, 2, 3};
        byte[] largest = {(byte) 0x82, -1, 127, -1, -1, -1, -1, -1, -1, -1, 1, 2, 3};
        for (byte[] each : new byte[][] {frame, largest}) {
            WebSocketWay way = new WebSocketWay(false);
            Kept kept = new Kept();
            assertThat(pass(way, kept, each, 0, each.length)).isEqualTo(each.length);
            way.leave(kept);
            assertThat(way.isSaid()).isFalse();
            assertThat(pass(way, kept, each, 0, each.length)).isEqualTo(each.length);
        }
    }
}
