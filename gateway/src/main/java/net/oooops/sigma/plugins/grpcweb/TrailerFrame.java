package net.oooops.sigma.plugins.grpcweb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.GrpcStatus;

/** The last frame of an answer: flag 0x80, four bytes of length, and the trailers as lines, their names in lower case. */
final class TrailerFrame {
    private static final byte FLAG = (byte) 0x80;
    private static final int HEADER_BYTES = 5;

    private record Line(String name, String value) {}

    private final List<Line> lines = new ArrayList<>();

    /** That of a failure, with the status that the gateway gives calls of gRPC for it. */
    static TrailerFrame of(Fault fault) {
        TrailerFrame frame = new TrailerFrame();
        frame.add("grpc-status", Integer.toString(GrpcStatus.of(fault.status())));
        frame.add("grpc-message", fault.text());
        return frame;
    }

    /** Adds a line. */
    void add(String name, String value) {
        lines.add(new Line(name.toLowerCase(Locale.ROOT), value));
    }

    /** Puts a line in the place of those of that name. */
    void set(String name, String value) {
        lines.removeIf(line -> line.name().equals(name));
        add(name, value);
    }

    /** Whether there is a line of that name, which is lower case. */
    boolean has(String name) {
        return lines.stream().anyMatch(line -> line.name().equals(name));
    }

    /** The whole frame. */
    byte[] bytes(boolean text) {
        StringBuilder section = new StringBuilder();
        for (Line line : lines) {
            section.append(line.name()).append(": ").append(line.value()).append("\r\n");
        }
        byte[] content = section.toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] frame = ByteBuffer.allocate(HEADER_BYTES + content.length)
                .put(FLAG)
                .putInt(content.length)
                .put(content)
                .array();
        return text ? Base64.getEncoder().encode(frame) : frame;
    }
}
