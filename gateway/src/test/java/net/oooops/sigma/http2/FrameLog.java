package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.oooops.sigma.http2.FrameReader.Event;

/** Gives bytes to a {@link FrameReader}, and writes down what it says of them: a line for each frame, however its content came. */
final class FrameLog {
    private final FrameReader reader;
    private final List<String> lines = new ArrayList<>();
    private final StringBuilder content = new StringBuilder();
    private boolean failed;

    FrameLog(FrameReader reader) {
        this.reader = reader;
    }

    /** What was read until now. */
    List<String> lines() {
        return lines;
    }

    boolean isFailed() {
        return failed;
    }

    /** What {@code reader} reads in pieces that end at these places. */
    static List<String> of(FrameReader reader, byte[] bytes, int... cuts) {
        FrameLog log = new FrameLog(reader);
        int start = 0;
        for (int cut : cuts) {
            log.give(Arrays.copyOfRange(bytes, start, cut));
            start = cut;
        }
        log.give(Arrays.copyOfRange(bytes, start, bytes.length));
        return log.lines();
    }

    /** The next bytes come. */
    void give(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        while (!failed) {
            Event event = reader.next(in);
            if (event == Event.MORE) {
                if (in.isReadable()) {
                    throw new AssertionError("bytes left: " + in.readableBytes());
                }
                return;
            }
            write(event, in);
        }
    }

    private void write(Event event, ByteBuf in) {
        switch (event) {
            case MORE -> {}
            case DATA -> content.setLength(0);
            case CONTENT -> content.append(ByteBufUtil.hexDump(in.readSlice(reader.contentBytes())));
            case DATA_END ->
                lines.add("DATA " + reader.streamId() + " " + reader.windowBytes() + end() + " " + content);
            case HEADERS ->
                lines.add("HEADERS " + reader.streamId() + end()
                        + (reader.dependsOnItself() ? " on itself" : "") + " "
                        + HexFormat.of().formatHex(reader.block(), reader.blockStart(), reader.blockEnd()));
            case CONTROL ->
                lines.add("CONTROL " + reader.type() + " " + reader.flags() + " " + reader.streamId() + " "
                        + HexFormat.of().formatHex(reader.payload(), 0, reader.payloadBytes()));
            case UNKNOWN -> lines.add("UNKNOWN " + reader.type());
            case FAILED -> {
                failed = true;
                lines.add("FAILED " + reader.error() + ": " + reader.reason());
            }
        }
    }

    private String end() {
        return reader.endsStream() ? " end" : "";
    }
}
