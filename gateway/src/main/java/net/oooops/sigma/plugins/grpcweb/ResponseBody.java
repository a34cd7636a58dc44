package net.oooops.sigma.plugins.grpcweb;

import java.nio.ByteBuffer;
import java.util.Base64;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.RefusedBodyException;

/**
 * A call's answer: the frames of the node, then one with its trailers. As text each part is base64 by itself, padded, so that no byte of a
 * message waits for the next one.
 */
final class ResponseBody implements BodyTransform {
    /** A multiple of three, so that only the last piece of a part is padded. */
    private static final int PIECE_BYTES = 3072;

    private static final FieldName STATUS = FieldName.of("grpc-status");
    private static final String UNKNOWN = "2";

    private final boolean text;
    private final TrailerFrame ofHead;
    private final FrameScan scan = new FrameScan("response");

    /** @param ofHead what the head said of how the call ended, where the trailers don't */
    ResponseBody(boolean text, TrailerFrame ofHead) {
        this.text = text;
        this.ofHead = ofHead;
    }

    @Override
    public void chunk(ByteBuffer chunk, BodyOutput out) throws RefusedBodyException {
        byte[] piece = new byte[Math.min(PIECE_BYTES, chunk.remaining())];
        while (chunk.hasRemaining()) {
            int count = Math.min(piece.length, chunk.remaining());
            chunk.get(piece, 0, count);
            scan.take(piece, count);
            if (text) {
                out.write(Base64.getEncoder().encode(ByteBuffer.wrap(piece, 0, count)));
            } else {
                out.write(piece, 0, count);
            }
        }
    }

    @Override
    public void end(Head trailers, BodyOutput out) throws RefusedBodyException {
        scan.end();
        TrailerFrame frame = trailers.has(STATUS) ? new TrailerFrame() : ofHead;
        for (String name : trailers.names()) {
            FieldName field = FieldName.of(name);
            for (String value : trailers.values(field)) {
                frame.add(name, value);
            }
            trailers.remove(field);
        }
        if (!frame.has(STATUS.toString())) {
            frame.add(STATUS.toString(), UNKNOWN);
            frame.add("grpc-message", "the answer ended without grpc-status");
        }
        write(frame, out);
    }

    /** Between two messages the client can be told why there is no other one. */
    @Override
    public boolean cut(Fault fault, BodyOutput out) {
        if (!scan.isBetween()) {
            return false;
        }
        write(TrailerFrame.of(fault), out);
        return true;
    }

    private void write(TrailerFrame frame, BodyOutput out) {
        byte[] bytes = frame.bytes(text);
        out.write(bytes, 0, bytes.length);
    }
}
