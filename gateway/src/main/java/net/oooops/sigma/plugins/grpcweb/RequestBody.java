package net.oooops.sigma.plugins.grpcweb;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.RefusedBodyException;
import org.jspecify.annotations.Nullable;

/** A call's request: the frames are those of gRPC, in base64 where it is text. Ends with whole messages, or is refused. */
final class RequestBody implements BodyTransform {
    private static final int PIECE_BYTES = 4096;

    private final @Nullable Base64Decoder decoder;
    private final FrameScan scan = new FrameScan("request");
    private final Reason garbled;
    private @Nullable String refusal;

    RequestBody(boolean text, Reason garbled) {
        this.garbled = garbled;
        this.decoder = text ? new Base64Decoder() : null;
    }

    /** Why it was refused, or null. */
    @Nullable String refusal() {
        return refusal;
    }

    @Override
    public void chunk(ByteBuffer chunk, BodyOutput out) throws RefusedBodyException {
        byte[] piece = new byte[Math.min(PIECE_BYTES, Math.max(chunk.remaining(), 3))];
        try {
            while (chunk.hasRemaining()) {
                int count = next(chunk, piece);
                scan.take(piece, count);
                out.write(piece, 0, count);
            }
        } catch (RefusedBodyException e) {
            refusal = e.getMessage();
            throw e.because(garbled);
        }
    }

    private int next(ByteBuffer chunk, byte[] piece) throws RefusedBodyException {
        Base64Decoder text = decoder;
        if (text != null) {
            return text.decode(chunk, piece);
        }
        int count = Math.min(piece.length, chunk.remaining());
        chunk.get(piece, 0, count);
        return count;
    }

    @Override
    public void end(Head trailers, BodyOutput out) throws RefusedBodyException {
        end();
    }

    /** @throws RefusedBodyException where it doesn't end with a whole message */
    void end() throws RefusedBodyException {
        Base64Decoder text = decoder;
        try {
            if (text != null) {
                text.end();
            }
            scan.end();
        } catch (RefusedBodyException e) {
            refusal = e.getMessage();
            throw e.because(garbled);
        }
    }
}
