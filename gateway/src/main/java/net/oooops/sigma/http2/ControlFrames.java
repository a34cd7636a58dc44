package net.oooops.sigma.http2;

/**
 * The frames that carry neither heads nor bodies (RFC 9113 section 6): settings, windows, resets, pings, priorities.
 *
 * <p>Called on the connection's event loop only.
 */
final class ControlFrames {
    /** The size of the table that peers may compress heads with: what holds where nothing is said. */
    static final int TABLE_BYTES_MAX = 4096;

    private static final int SETTING_BYTES = 6;
    /** About as many as there are that mean something. */
    private static final int SETTINGS_USUAL = 10;

    private static final int PRIORITY_BYTES = 5;

    private final Http2Connection connection;
    private final Http2Output output;
    private final Http2Input input;
    private boolean settingsKnown;
    private int streamsMax = Integer.MAX_VALUE;
    private boolean takesTunnels;

    ControlFrames(Http2Connection connection, Http2Output output, Http2Input input) {
        this.connection = connection;
        this.output = output;
        this.input = input;
    }

    /** Whether the peer has sent its settings, which have to be its first frame. */
    boolean areSettingsKnown() {
        return settingsKnown;
    }

    /** How many streams the peer takes at once. */
    int streamsMax() {
        return streamsMax;
    }

    /** Whether the peer takes other protocols on streams (RFC 8441 section 3). */
    boolean takesTunnels() {
        return takesTunnels;
    }

    /** A frame is whole. */
    void frame(FrameReader frame) {
        int type = frame.type();
        if (!settingsKnown && type != Frames.SETTINGS) {
            protocolError("no settings first");
            return;
        }
        connection.countFrame();
        if (!connection.isReading()) {
            return;
        }
        switch (type) {
            case Frames.PRIORITY -> priority(frame);
            case Frames.RST_STREAM -> reset(frame);
            case Frames.SETTINGS -> settings(frame);
            case Frames.PING -> ping(frame);
            case Frames.WINDOW_UPDATE -> windowUpdate(frame);
            case Frames.PRIORITY_UPDATE -> priorityUpdate(frame);
            case Frames.GOAWAY -> goAway(frame);
            default -> {
                // What FrameReader has looked at.
            }
        }
    }

    private void protocolError(String reason) {
        connection.fail(Http2Error.PROTOCOL_ERROR, reason);
    }

    private void sizeError(String frame) {
        connection.fail(Http2Error.FRAME_SIZE_ERROR, frame + " of a wrong size");
    }

    private void settings(FrameReader frame) {
        boolean ack = (frame.flags() & Frames.ACK) != 0;
        int length = frame.payloadBytes();
        if (ack ? length != 0 : length % SETTING_BYTES != 0) {
            sizeError("SETTINGS");
            return;
        }
        if (ack) {
            input.settingsTaken();
            return;
        }
        settingsKnown = true;
        byte[] payload = frame.payload();
        for (int at = 0; at < length && isTaken(at); at += SETTING_BYTES) {
            setting(Frames.int16(payload, at), Frames.int32(payload, at + 2));
        }
        if (connection.isReading()) {
            output.frames().settingsAck();
            connection.onSettings();
            output.resume();
        }
    }

    /** Whether the setting at that place is taken. Each may cost more than a frame does: one of windows changes those of all streams. */
    private boolean isTaken(int at) {
        if (connection.isReading() && at >= SETTINGS_USUAL * SETTING_BYTES) {
            connection.countFrame();
        }
        return connection.isReading();
    }

    /** Values are unsigned: those of 2³¹ and more are negative here. */
    private void setting(int key, int value) {
        switch (key) {
            case Frames.MAX_CONCURRENT_STREAMS -> streamsMax = value < 0 ? Integer.MAX_VALUE : value;
            case Frames.HEADER_TABLE_SIZE ->
                output.blocks().tableBytesMax(value < 0 ? TABLE_BYTES_MAX : Math.min(value, TABLE_BYTES_MAX));
            case Frames.ENABLE_PUSH -> {
                if (value != 0 && value != 1) {
                    protocolError("ENABLE_PUSH other than 0 and 1");
                }
            }
            case Frames.INITIAL_WINDOW_SIZE -> streamWindow(value);
            case Frames.MAX_FRAME_SIZE -> {
                if (value < Frames.PAYLOAD_BYTES_MAX || value > Frames.PAYLOAD_BYTES_LIMIT) {
                    protocolError("MAX_FRAME_SIZE out of its range");
                }
            }
            case Frames.ENABLE_CONNECT_PROTOCOL -> {
                takesTunnels = value == 1;
                if (value != 0 && value != 1) {
                    protocolError("ENABLE_CONNECT_PROTOCOL other than 0 and 1");
                }
            }
            case Frames.NO_RFC7540_PRIORITIES -> {
                if (value != 0 && value != 1) {
                    protocolError("NO_RFC7540_PRIORITIES other than 0 and 1");
                }
            }
            default -> {
                // Of no meaning here.
            }
        }
    }

    /** RFC 9113 section 6.9.2: the windows of open streams change by the difference, and may be negative. */
    private void streamWindow(int bytes) {
        if (bytes < 0) {
            connection.fail(Http2Error.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE larger than a window may be");
            return;
        }
        long more = (long) bytes - output.streamWindow();
        output.streamWindow(bytes);
        for (Http2Stream stream : connection.streams()) {
            if (!stream.growSend(more)) {
                connection.fail(Http2Error.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE makes a window too large");
                return;
            }
        }
    }

    private void ping(FrameReader frame) {
        if (frame.payloadBytes() != Frames.PING_BYTES) {
            sizeError("PING");
            return;
        }
        byte[] payload = frame.payload();
        long content = ((long) Frames.int32(payload, 0) << 32) | (Frames.int32(payload, 4) & 0xFFFF_FFFFL);
        if ((frame.flags() & Frames.ACK) == 0) {
            output.frames().ping(content, true);
            output.flushSoon();
            return;
        }
        int more = input.answered(content);
        if (more > 0) {
            for (Http2Stream stream : connection.streams()) {
                stream.growReceive(more);
            }
        }
        connection.onPong(content);
    }

    private void windowUpdate(FrameReader frame) {
        int id = frame.streamId();
        if (frame.payloadBytes() != 4) {
            sizeError("WINDOW_UPDATE");
            return;
        }
        int more = Frames.int32(frame.payload(), 0) & Integer.MAX_VALUE;
        if (id == 0) {
            if (more == 0) {
                protocolError("WINDOW_UPDATE by nothing");
            } else if (!output.grow(more)) {
                connection.fail(Http2Error.FLOW_CONTROL_ERROR, "window larger than one may be");
            } else {
                output.resume();
            }
            return;
        }
        Http2Stream stream = connection.stream(id);
        if (stream == null) {
            idle(id, "WINDOW_UPDATE");
        } else if (more == 0) {
            connection.breakOff(stream, Http2Error.PROTOCOL_ERROR);
        } else if (!stream.growSend(more)) {
            connection.breakOff(stream, Http2Error.FLOW_CONTROL_ERROR);
        } else {
            output.resume();
        }
    }

    private void reset(FrameReader frame) {
        Http2Stream stream = connection.stream(frame.streamId());
        if (frame.payloadBytes() != 4) {
            sizeError("RST_STREAM");
        } else if (stream == null) {
            idle(frame.streamId(), "RST_STREAM");
        } else {
            connection.onReset(stream, Frames.int32(frame.payload(), 0));
        }
    }

    private void goAway(FrameReader frame) {
        if (frame.payloadBytes() < 8) {
            sizeError("GOAWAY");
        } else {
            connection.onGoAway(Frames.int32(frame.payload(), 0) & Integer.MAX_VALUE);
        }
    }

    /** A frame for a stream that isn't open: that it has been is nothing wrong. */
    private void idle(int id, String frame) {
        if (connection.isIdle(id)) {
            protocolError(frame + " of a stream that hasn't begun");
        }
    }

    /** RFC 7540 section 5.3, which RFC 9113 leaves without effect. */
    private void priority(FrameReader frame) {
        boolean wellFormed = frame.payloadBytes() == PRIORITY_BYTES;
        boolean onItself = wellFormed && (Frames.int32(frame.payload(), 0) & Integer.MAX_VALUE) == frame.streamId();
        if (wellFormed && !onItself) {
            return;
        }
        Http2Error why = wellFormed ? Http2Error.PROTOCOL_ERROR : Http2Error.FRAME_SIZE_ERROR;
        Http2Stream stream = connection.stream(frame.streamId());
        if (stream == null) {
            connection.fail(why, "PRIORITY malformed");
        } else {
            connection.breakOff(stream, why);
        }
    }

    /** RFC 9218 section 7.1. One for a stream that hasn't begun isn't kept: the request itself may say the same. */
    private void priorityUpdate(FrameReader frame) {
        if (frame.payloadBytes() < 4) {
            sizeError("PRIORITY_UPDATE");
            return;
        }
        int id = Frames.int32(frame.payload(), 0) & Integer.MAX_VALUE;
        if (id == 0) {
            protocolError("PRIORITY_UPDATE of no stream");
            return;
        }
        Http2Stream stream = connection.stream(id);
        if (stream != null) {
            Priority.apply(frame.payload(), 4, frame.payloadBytes(), stream);
        }
    }
}
