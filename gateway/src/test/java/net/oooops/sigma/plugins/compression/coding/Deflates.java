package net.oooops.sigma.plugins.compression.coding;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import net.oooops.sigma.api.RefusedBodyException;

/** What makes deflate: each of them is asked the same. */
enum Deflates {
    SYSTEM {
        @Override
        Coder packer(DeflateParameters parameters) {
            return new GzipPacker(new ZlibDeflate(parameters));
        }
    },
    JDK {
        @Override
        Coder packer(DeflateParameters parameters) {
            return new GzipPacker(new JdkDeflate(parameters.level()));
        }
    };

    abstract Coder packer(DeflateParameters parameters);

    /** Steps until it is done; what it made of it, in parts of that size at most. */
    static byte[] stepped(Coder coder, ByteBuffer in, Coder.Until until, int outEach) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer out = ByteBuffer.allocateDirect(outEach);
        boolean done = false;
        while (!done) {
            try {
                done = coder.step(in, out.clear(), until);
            } catch (RefusedBodyException e) {
                throw new AssertionError(e);
            }
            byte[] made = new byte[out.flip().remaining()];
            out.get(made);
            all.writeBytes(made);
        }
        return all.toByteArray();
    }

    /** A whole body of gzip, by the JDK. */
    static byte[] unpacked(byte[] packed) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            return in.readAllBytes();
        }
    }

    /** As much of a body as its first bytes say, by the JDK. */
    static byte[] begun(byte[] packed, int size) throws IOException {
        int header = 10;
        try (InputStream in = new InflaterInputStream(
                new ByteArrayInputStream(packed, header, packed.length - header), new Inflater(true))) {
            return in.readNBytes(size);
        }
    }
}
