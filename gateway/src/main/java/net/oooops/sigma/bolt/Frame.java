package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32;

/**
 * One frame of Bolt as a view over the bytes it came in: nothing is copied, and all that is kept are numbers. Strict: what
 * SOFABolt's own reader refuses is refused, and so is what it would wait for without end. Class, header and content are opaque.
 *
 * <pre>
 *   proto(1) [version(1)] type(1) command(2) command version(1) id(4) codec(1) [switch(1)]
 *       timeout(4) of a request, or status(2) of a response
 *       class length(2) header length(2) content length(4) class header content [CRC-32(4)]
 *
 *   parse ─▶ MORE: called again with these bytes and more
 *         ├▶ DONE: the numbers hold until the next call
 *         └▶ REFUSED, at the first byte that can't be right; lengths before anything is held for them
 * </pre>
 *
 * What stands in brackets is in protocol 2 only. One view is used for all frames of a connection.
 */
public final class Frame implements Correlation {
    /** How far it came. */
    public enum Step {
        MORE,
        DONE,
        REFUSED
    }

    /** The bit of the switch byte that a CRC-32 follows for. */
    static final int SWITCH_CRC = 1;

    static final int TYPE_RESPONSE = 0;
    static final int TYPE_REQUEST = 1;
    static final int TYPE_ONE_WAY = 2;
    static final int COMMAND_HEARTBEAT = 0;
    static final int COMMAND_REQUEST = 1;
    static final int COMMAND_RESPONSE = 2;
    static final int COMMAND_VERSION = 1;
    static final int CRC_BYTES = 4;

    private static final FrameForm[] V2_FORMS = {FrameForm.V2, FrameForm.V2_CRC};

    private int bytesMax;
    private final CRC32 crc = new CRC32();

    private FrameForm form = FrameForm.V1;
    private FrameRefusal refusal = FrameRefusal.PROTOCOL;
    private int start;
    private int bytes;
    private int type;
    private int command;
    private int id;
    private int codec;
    private int switches;
    private int timeoutMillis;
    private int status;
    private int fixedBytes;
    private int classBytes;
    private int headerBytes;

    /** @param bytesMax how long a whole frame may be */
    public Frame(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Of one that was measured before. */
    static Frame ofAnyLength() {
        return new Frame(Integer.MAX_VALUE);
    }

    /** So long may a whole frame be from now on. */
    void limit(int wholeBytesMax) {
        bytesMax = wholeBytesMax;
    }

    /** Reads the frame at the reader index, which stays where it is. */
    public Step parse(ByteBuf in) {
        start = in.readerIndex();
        bytes = 0;
        int known = in.readableBytes();
        Step step = prefix(in, known);
        if (step != Step.DONE) {
            return step;
        }
        fixedBytes = form.fixedBytes(type == TYPE_RESPONSE);
        if (known < fixedBytes) {
            return Step.MORE;
        }
        step = fixed(in);
        if (step != Step.DONE) {
            return step;
        }
        if (known < bytes) {
            return Step.MORE;
        }
        return isChecked() && !isChecksum(in) ? refuse(FrameRefusal.CHECKSUM) : Step.DONE;
    }

    private Step refuse(FrameRefusal why) {
        refusal = why;
        return Step.REFUSED;
    }

    /** Protocol, version, type, command and its version, each as soon as it is there. */
    private Step prefix(ByteBuf in, int known) {
        if (known == 0) {
            return Step.MORE;
        }
        int protocol = in.getByte(start);
        if (protocol != 1 && protocol != 2) {
            return refuse(FrameRefusal.PROTOCOL);
        }
        int at = 1;
        form = FrameForm.V1;
        if (protocol == 2) {
            if (known == 1) {
                return Step.MORE;
            }
            int version = in.getByte(start + at++);
            if (version != 1 && version != 2) {
                return refuse(FrameRefusal.VERSION);
            }
            form = V2_FORMS[version - 1];
        }
        if (known <= at) {
            return Step.MORE;
        }
        type = in.getByte(start + at);
        if (type < TYPE_RESPONSE || type > TYPE_ONE_WAY) {
            return refuse(FrameRefusal.TYPE);
        }
        return command(in, known, at + 1);
    }

    private Step command(ByteBuf in, int known, int at) {
        if (known < at + 2) {
            return Step.MORE;
        }
        command = in.getShort(start + at);
        boolean fits = switch (type) {
            case TYPE_REQUEST -> command == COMMAND_REQUEST || command == COMMAND_HEARTBEAT;
            case TYPE_RESPONSE -> command == COMMAND_RESPONSE || command == COMMAND_HEARTBEAT;
            default -> command == COMMAND_REQUEST;
        };
        if (!fits) {
            return refuse(FrameRefusal.COMMAND);
        }
        if (known == at + 2) {
            return Step.MORE;
        }
        return in.getByte(start + at + 2) == COMMAND_VERSION ? Step.DONE : refuse(FrameRefusal.COMMAND_VERSION);
    }

    /** The rest of what every frame has, and how long it is by that. */
    private Step fixed(ByteBuf in) {
        id = in.getInt(start + form.idAt());
        int at = start + form.codecAt();
        codec = in.getByte(at++);
        switches = 0;
        if (form != FrameForm.V1) {
            switches = in.getByte(at++);
            if (switches < 0) {
                return refuse(FrameRefusal.SWITCH);
            }
        }
        if (type == TYPE_RESPONSE) {
            status = in.getShort(at);
            at += 2;
            if (!Status.isKnown(status)) {
                return refuse(FrameRefusal.STATUS);
            }
        } else {
            timeoutMillis = in.getInt(at);
            at += 4;
        }
        classBytes = in.getShort(at);
        headerBytes = in.getShort(at + 2);
        return lengths(in.getInt(at + 4));
    }

    private Step lengths(int contentBytes) {
        if ((classBytes | headerBytes | contentBytes) < 0) {
            return refuse(FrameRefusal.LENGTH);
        }
        long whole = (long) fixedBytes + classBytes + headerBytes + contentBytes + (isChecked() ? CRC_BYTES : 0);
        if (whole > bytesMax) {
            return refuse(FrameRefusal.TOO_LARGE);
        }
        bytes = (int) whole;
        return Step.DONE;
    }

    private boolean isChecksum(ByteBuf in) {
        int end = start + bytes - CRC_BYTES;
        return Checksum.of(crc, in, start, end) == in.getInt(end);
    }

    /** Why it was refused. */
    public FrameRefusal refusal() {
        return refusal;
    }

    /** After MORE: how long the whole frame is, or 0 where that isn't known yet. After DONE: how long it is. */
    public int bytes() {
        return bytes;
    }

    /** Where it begins in its buffer. */
    public int start() {
        return start;
    }

    /** How it is laid out. */
    @Override
    public FrameForm form() {
        return form;
    }

    /** Whether it is a response, to a request or a heartbeat. */
    public boolean isResponse() {
        return type == TYPE_RESPONSE;
    }

    /** Whether it is a request that nobody awaits a response to. */
    public boolean isOneWay() {
        return type == TYPE_ONE_WAY;
    }

    /** Whether it is a heartbeat, or the response to one. */
    @Override
    public boolean isHeartbeat() {
        return command == COMMAND_HEARTBEAT;
    }

    /** The number that a response has in common with its request. */
    @Override
    public int id() {
        return id;
    }

    /** How class, header and content are serialised. */
    @Override
    public int codec() {
        return codec;
    }

    /** The switch byte; 0 where the form has none. */
    @Override
    public int switches() {
        return switches;
    }

    /** Whether it ends with a CRC-32. */
    public boolean isChecked() {
        return form.isChecked(switches);
    }

    /** Of a request: how long its sender waits, milliseconds; nothing is said by 0 and less. */
    public int timeoutMillis() {
        return timeoutMillis;
    }

    /** Of a response: its {@link Status} as a number. */
    public int status() {
        return status;
    }

    /** Where the class name begins in its buffer. */
    public int classStart() {
        return start + fixedBytes;
    }

    /** How long the class name is. */
    public int classBytes() {
        return classBytes;
    }

    /** Where the header begins in its buffer. */
    public int headerStart() {
        return start + fixedBytes + classBytes;
    }

    /** How long the header is. */
    public int headerBytes() {
        return headerBytes;
    }
}
