package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32;

/** Writes the frames that are Sigma's own, and gives those of others another id. One for each Worker. */
public final class FrameWriter {
    /** The most bytes that any of its own frames has. */
    static final int OWN_BYTES_MAX = 28;
    /** The codec of heartbeats, which have nothing to decode: SOFABolt's default, hessian. */
    private static final int CODEC_HEARTBEAT = 1;

    private static final int TIMEOUT_NONE = -1;

    private final CRC32 crc = new CRC32();

    /**
     * Gives a frame another id, and the checksum that goes with it.
     *
     * @param at where the frame's bytes are
     * @param start where it begins there
     * @param frame what is known of it
     */
    void setId(ByteBuf at, int start, Frame frame, int id) {
        at.setInt(start + frame.form().idAt(), id);
        if (frame.isChecked()) {
            int end = start + frame.bytes() - Frame.CRC_BYTES;
            at.setInt(end, Checksum.of(crc, at, start, end));
        }
    }

    /** A response without class, header and content: all that a SOFABolt client reads of one that isn't a success. */
    void response(ByteBuf out, Correlation asked, Status status) {
        int start = out.writerIndex();
        FrameForm form = asked.form();
        begin(out, form, Frame.TYPE_RESPONSE, asked.isHeartbeat() ? Frame.COMMAND_HEARTBEAT : Frame.COMMAND_RESPONSE);
        out.writeInt(asked.id()).writeByte(asked.codec());
        if (form != FrameForm.V1) {
            out.writeByte(asked.switches());
        }
        out.writeShort(status.code());
        end(out, start, form.isChecked(asked.switches()));
    }

    /** A heartbeat, which never has a checksum. */
    public void heartbeat(ByteBuf out, FrameForm form, int id) {
        int start = out.writerIndex();
        begin(out, form, Frame.TYPE_REQUEST, Frame.COMMAND_HEARTBEAT);
        out.writeInt(id).writeByte(CODEC_HEARTBEAT);
        if (form != FrameForm.V1) {
            out.writeByte(0);
        }
        out.writeInt(TIMEOUT_NONE);
        end(out, start, false);
    }

    private static void begin(ByteBuf out, FrameForm form, int type, int command) {
        out.writeByte(form.protocolCode());
        if (form != FrameForm.V1) {
            out.writeByte(form.versionByte());
        }
        out.writeByte(type).writeShort(command).writeByte(Frame.COMMAND_VERSION);
    }

    private void end(ByteBuf out, int start, boolean checked) {
        // No class, no header, no content.
        out.writeLong(0);
        if (checked) {
            out.writeInt(Checksum.of(crc, out, start, out.writerIndex()));
        }
    }
}
