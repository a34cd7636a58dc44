package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Whether the system's zlib does what it should, before it is given what others sent. */
final class ZlibTrial {
    private static final byte[] TEXT =
            "It was the best of times, it was the worst of times.".getBytes(StandardCharsets.US_ASCII);

    private ZlibTrial() {}

    /**
     * Packs a text with it, and has the JDK unpack that.
     *
     * @throws IllegalStateException where something else comes of it
     * @throws LinkageError where it can't be loaded
     */
    static void pass() {
        ZlibDeflate deflate = new ZlibDeflate(DeflateParameters.ofLevel(6));
        Inflater inflater = new Inflater(true);
        try {
            ByteBuffer packed = ByteBuffer.allocateDirect(2 * TEXT.length);
            boolean done = deflate.step(ByteBuffer.wrap(TEXT), packed, Coder.Until.FINISHED);
            ByteBuffer unpacked = ByteBuffer.allocate(2 * TEXT.length);
            inflater.setInput(packed.flip());
            inflater.inflate(unpacked);
            if (!done || !inflater.finished() || !unpacked.flip().equals(ByteBuffer.wrap(TEXT))) {
                throw new IllegalStateException("what it packs is not deflate");
            }
        } catch (DataFormatException e) {
            throw new IllegalStateException("what it packs is not deflate", e);
        } finally {
            deflate.close();
            inflater.end();
        }
    }
}
