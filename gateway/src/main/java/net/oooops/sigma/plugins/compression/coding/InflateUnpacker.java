package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import net.oooops.sigma.api.RefusedBodyException;

/** Unpacks deflate in the form of zlib (RFC 1950), which is what HTTP calls {@code deflate}. */
final class InflateUnpacker implements Coder {
    private final Inflater inflater = new Inflater();

    @Override
    public void reset() {
        inflater.reset();
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) throws RefusedBodyException {
        inflate(inflater, "deflate", in, out);
        if (inflater.finished() && in.hasRemaining()) {
            throw CodingFaults.behindTheEnd("deflate");
        }
        if (until == Until.FINISHED && out.hasRemaining() && !inflater.finished()) {
            throw CodingFaults.truncated("deflate");
        }
        return inflater.finished() || (out.hasRemaining() && !in.hasRemaining());
    }

    static void inflate(Inflater inflater, String coding, ByteBuffer in, ByteBuffer out) throws RefusedBodyException {
        inflater.setInput(in);
        try {
            inflater.inflate(out);
        } catch (DataFormatException e) {
            throw CodingFaults.garbage(coding, String.valueOf(e.getMessage()));
        }
        if (inflater.needsDictionary()) {
            throw CodingFaults.garbage(coding, "it needs a dictionary");
        }
    }

    @Override
    public void close() {
        inflater.end();
    }
}
