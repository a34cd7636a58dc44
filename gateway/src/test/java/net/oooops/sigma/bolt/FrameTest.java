package net.oooops.sigma.bolt;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.bolt.Frame.Step;
import net.oooops.sigma.call.BoltMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FrameTest {
    private static final int BYTES_MAX = 1 << 16;

    static List<BoltMessage> messages() {
        List<BoltMessage> all = new ArrayList<>();
        for (int layout = 1; layout <= 3; layout++) {
            BoltMessage request = BoltMessage.request(layout, 0x01020304, "com.acme.Request", "content");
            all.add(request);
            all.add(request.withKeys("sofa_head_target_service", "com.acme.Echo:1.0"));
            all.add(request.withType(2).withId(-1));
            all.add(BoltMessage.request(layout, 7, "", "").withWord(-1).withCodec(-3));
            all.add(BoltMessage.heartbeat(layout, 9));
            all.add(BoltMessage.heartbeat(layout, 9).answer(""));
            all.add(request.answer("answered").withWord(0x12));
            all.add(request.withSwitches(layout == 1 ? 0 : 0x7E));
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("messages")
    void isReadTheSameHoweverItIsCut(BoltMessage message) {
        byte[] bytes = message.bytes();
        for (int offset : new int[] {0, 5}) {
            ByteBuf in = Unpooled.directBuffer().writeZero(offset).skipBytes(offset);
            Frame frame = new Frame(BYTES_MAX);
            for (int end = 0; end < bytes.length; end++) {
                assertThat(frame.parse(in)).as("at " + end).isEqualTo(Step.MORE);
                assertThat(frame.bytes()).isIn(0, bytes.length);
                in.writeByte(bytes[end]);
            }
            in.writeBytes(new byte[] {1, 2, 3});
            assertThat(frame.parse(in)).isEqualTo(Step.DONE);
            assertThat(in.readerIndex()).isEqualTo(offset);
            assertThat(frame.start()).isEqualTo(offset);
            assertThat(frame.bytes()).isEqualTo(bytes.length);
            expect(frame, message);
            in.release();
        }
    }

    private static void expect(Frame frame, BoltMessage message) {
        assertThat(frame.form()).isEqualTo(FrameForm.values()[message.layout() - 1]);
        assertThat(frame.isResponse()).isEqualTo(message.type() == 0);
        assertThat(frame.isOneWay()).isEqualTo(message.type() == 2);
        assertThat(frame.isHeartbeat()).isEqualTo(message.command() == 0);
        assertThat(frame.id()).isEqualTo(message.id());
        assertThat(frame.codec()).isEqualTo(message.codec());
        assertThat(frame.switches()).isEqualTo(message.switches());
        assertThat(frame.isResponse() ? frame.status() : frame.timeoutMillis()).isEqualTo(message.word());
        assertThat(frame.classBytes()).isEqualTo(message.className().length);
        assertThat(frame.headerStart()).isEqualTo(frame.classStart() + frame.classBytes());
        assertThat(frame.headerBytes()).isEqualTo(message.header().length);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void anotherIdChangesNothingElse(BoltMessage message) {
        ByteBuf in = Unpooled.copiedBuffer(message.bytes());
        Frame frame = new Frame(BYTES_MAX);
        assertThat(frame.parse(in)).isEqualTo(Step.DONE);
        new FrameWriter().setId(in, frame.start(), frame, 0x7A6B5C4D);
        assertThat(in)
                .isEqualTo(Unpooled.wrappedBuffer(message.withId(0x7A6B5C4D).bytes()));
        in.release();
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aResponseOfItsOwnRepeatsWhatTheRequestHad(BoltMessage message) {
        if (message.type() == 0) {
            return;
        }
        Frame frame = new Frame(BYTES_MAX);
        ByteBuf in = Unpooled.copiedBuffer(message.bytes());
        assertThat(frame.parse(in)).isEqualTo(Step.DONE);
        ByteBuf out = Unpooled.buffer().writeByte(0xFF).skipBytes(1);
        new FrameWriter().response(out, frame, Status.CONNECTION_CLOSED);
        byte[] none = new byte[0];
        BoltMessage expected = new BoltMessage(
                message.layout(),
                0,
                message.command() == 0 ? 0 : 2,
                message.id(),
                message.codec(),
                message.switches(),
                0x10,
                none,
                none,
                none);
        assertThat(out).isEqualTo(Unpooled.wrappedBuffer(expected.bytes()));
        in.release();
        out.release();
    }

    @Test
    void aHeartbeatIsOne() {
        for (int layout = 1; layout <= 3; layout++) {
            ByteBuf out = Unpooled.buffer();
            new FrameWriter().heartbeat(out, FrameForm.values()[layout - 1], 77);
            assertThat(out)
                    .isEqualTo(Unpooled.wrappedBuffer(
                            BoltMessage.heartbeat(layout, 77).bytes()));
            out.release();
        }
    }

    static List<Arguments> wrong() {
        List<Arguments> wrong = new ArrayList<>();
        for (int layout = 1; layout <= 3; layout++) {
            BoltMessage request = BoltMessage.request(layout, 1, "a.B", "c");
            BoltMessage answer = request.answer("d");
            int version = layout == 1 ? 0 : 1;
            wrong.add(Arguments.of(FrameRefusal.PROTOCOL, changed(request, 0, 0)));
            wrong.add(Arguments.of(FrameRefusal.PROTOCOL, changed(request, 0, 3)));
            wrong.add(Arguments.of(FrameRefusal.PROTOCOL, changed(request, 0, 'G')));
            wrong.add(Arguments.of(FrameRefusal.TYPE, changed(request, 1 + version, 3)));
            wrong.add(Arguments.of(FrameRefusal.TYPE, changed(request, 1 + version, -1)));
            wrong.add(Arguments.of(FrameRefusal.COMMAND, request.withCommand(2).bytes()));
            wrong.add(
                    Arguments.of(FrameRefusal.COMMAND, request.withCommand(257).bytes()));
            wrong.add(Arguments.of(FrameRefusal.COMMAND, answer.withCommand(1).bytes()));
            wrong.add(Arguments.of(
                    FrameRefusal.COMMAND,
                    BoltMessage.heartbeat(layout, 1).withType(2).bytes()));
            wrong.add(Arguments.of(FrameRefusal.COMMAND_VERSION, changed(request, 4 + version, 2)));
            wrong.add(Arguments.of(FrameRefusal.STATUS, answer.withWord(0x0A).bytes()));
            wrong.add(Arguments.of(FrameRefusal.STATUS, answer.withWord(0x13).bytes()));
            wrong.add(Arguments.of(FrameRefusal.STATUS, answer.withWord(-1).bytes()));
            int lengths = 14 + 2 * version;
            wrong.add(Arguments.of(FrameRefusal.LENGTH, changed(request, lengths, 0x80)));
            wrong.add(Arguments.of(FrameRefusal.LENGTH, changed(request, lengths + 2, 0x80)));
            wrong.add(Arguments.of(FrameRefusal.LENGTH, changed(request, lengths + 4, 0x80)));
            wrong.add(Arguments.of(FrameRefusal.TOO_LARGE, changed(request, lengths + 4, 0x7F)));
            wrong.add(Arguments.of(FrameRefusal.TOO_LARGE, changed(request, lengths + 5, 0x01)));
            if (layout > 1) {
                wrong.add(Arguments.of(FrameRefusal.VERSION, changed(request, 1, 0)));
                wrong.add(Arguments.of(FrameRefusal.VERSION, changed(request, 1, 3)));
                wrong.add(Arguments.of(FrameRefusal.SWITCH, changed(request, 11, 0x80)));
            }
        }
        BoltMessage checked = BoltMessage.request(3, 1, "a.B", "c");
        byte[] bytes = checked.bytes();
        for (int at = 16; at < bytes.length; at++) {
            if (at < 16 || at >= 24) {
                wrong.add(Arguments.of(FrameRefusal.CHECKSUM, changed(checked, at, bytes[at] ^ 1)));
            }
        }
        return wrong;
    }

    private static byte[] changed(BoltMessage message, int at, int value) {
        byte[] bytes = message.bytes();
        bytes[at] = (byte) value;
        return bytes;
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void isRefusedAtTheFirstByteThatCannotBeRight(FrameRefusal why, byte[] bytes) {
        Frame whole = new Frame(BYTES_MAX);
        assertThat(whole.parse(Unpooled.wrappedBuffer(bytes))).isEqualTo(Step.REFUSED);
        assertThat(whole.refusal()).isEqualTo(why);
        Frame cut = new Frame(BYTES_MAX);
        Step step = Step.MORE;
        for (int end = 0; end <= bytes.length && step == Step.MORE; end++) {
            step = cut.parse(Unpooled.wrappedBuffer(bytes, 0, end));
        }
        assertThat(step).isEqualTo(Step.REFUSED);
        assertThat(cut.refusal()).isEqualTo(why);
    }

    @Test
    void theLimitIsOfTheWholeFrame() {
        for (int layout = 1; layout <= 3; layout++) {
            byte[] bytes = BoltMessage.request(layout, 1, "a.B", "content")
                    .withKeys("k", "v")
                    .bytes();
            assertThat(new Frame(bytes.length).parse(Unpooled.wrappedBuffer(bytes)))
                    .isEqualTo(Step.DONE);
            Frame less = new Frame(bytes.length - 1);
            assertThat(less.parse(Unpooled.wrappedBuffer(bytes))).isEqualTo(Step.REFUSED);
            assertThat(less.refusal()).isEqualTo(FrameRefusal.TOO_LARGE);
        }
    }

    @Test
    void onlyThirteenStatusesAreKnown() {
        long known = java.util.stream.IntStream.rangeClosed(Short.MIN_VALUE, Short.MAX_VALUE)
                .filter(Status::isKnown)
                .count();
        assertThat(known).isEqualTo(Status.values().length);
        for (Status each : Status.values()) {
            assertThat(Status.isKnown(each.code())).isTrue();
        }
    }
}
