package net.oooops.sigma.health;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import net.oooops.sigma.bolt.Frame;
import net.oooops.sigma.bolt.FrameForm;
import net.oooops.sigma.bolt.FrameWriter;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.config.ActiveCheckConfig.Bolt;
import org.jspecify.annotations.Nullable;

/** Waits for the answer to a heartbeat of Bolt; what else a node sends before it is passed over. */
final class Heartbeat implements TcpProbe.Judge {
    private static final int ID = 1;

    private final Frame frame = new Frame(Probe.BYTES_MAX);
    private final ByteBuf in = Unpooled.buffer(64);
    private int taken;

    private Heartbeat() {}

    /** Asks for one. */
    static TcpProbe probe(NetClient client, Bolt question, @Nullable Secure secure) {
        ByteBuf asked = Unpooled.buffer(64);
        new FrameWriter().heartbeat(asked, question.protocol() == 1 ? FrameForm.V1 : FrameForm.V2, ID);
        byte[] sent = new byte[asked.readableBytes()];
        asked.readBytes(sent);
        return new TcpProbe(client, secure, sent, Heartbeat::new);
    }

    @Override
    public void take(Buffer piece, Attempt attempt) {
        taken += piece.length();
        if (taken > Probe.BYTES_MAX) {
            attempt.fail("no answer to the heartbeat in the first " + Probe.BYTES_MAX + " bytes");
            return;
        }
        in.discardReadBytes().writeBytes(piece.getBytes());
        Frame.Step step = frame.parse(in);
        while (step == Frame.Step.DONE && !isAnswer()) {
            in.skipBytes(frame.bytes());
            step = frame.parse(in);
        }
        if (step == Frame.Step.REFUSED) {
            attempt.fail("no frame of Bolt: " + frame.refusal());
        } else if (step == Frame.Step.DONE) {
            answer(attempt);
        }
    }

    private boolean isAnswer() {
        return frame.isResponse() && frame.isHeartbeat() && frame.id() == ID;
    }

    private void answer(Attempt attempt) {
        if (frame.status() == Status.SUCCESS.code()) {
            attempt.pass();
        } else {
            attempt.fail("status " + frame.status() + " (expected: " + Status.SUCCESS.code() + ")");
        }
    }
}
