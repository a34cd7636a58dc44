package net.oooops.sigma.plugins.compression;

import com.aayushatharva.brotli4j.decoder.DecoderJNI;
import com.aayushatharva.brotli4j.decoder.DirectDecompress;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;
import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;
import net.oooops.sigma.plugins.compression.coding.Coding;

/** Content codings as others read and write them. */
public final class Decoded {
    /** The best one, 11, takes seconds for what bombs are made of, and packs it no better than is needed. */
    private static final int BROTLI_QUALITY = 5;

    private Decoded() {}

    /** What a body in that coding was. */
    public static byte[] of(String coding, byte[] body) throws IOException {
        if (coding.equals("br")) {
            DirectDecompress result = DirectDecompress.decompress(loaded(Coding.BR, body));
            if (result.getResultStatus() != DecoderJNI.Status.DONE) {
                throw new IOException("br: " + result.getResultStatus());
            }
            return result.getDecompressedData();
        }
        try (InputStream in = reading(coding, new ByteArrayInputStream(body))) {
            return in.readAllBytes();
        }
    }

    /** Reads that coding. */
    public static InputStream reading(String coding, InputStream in) throws IOException {
        return switch (coding) {
            case "gzip" -> new GZIPInputStream(in);
            case "deflate" -> new InflaterInputStream(in);
            case "br" -> new BrotliReader(loaded(Coding.BR, in));
            case "zstd" -> new ZstdInputStream(in);
            default -> throw new IllegalArgumentException(coding);
        };
    }

    /** The library's own stream takes a body for truncated whose last bytes make much. */
    private static final class BrotliReader extends InputStream {
        private final InputStream in;
        private final DecoderJNI.Wrapper decoder = new DecoderJNI.Wrapper(1);
        private ByteBuffer made = ByteBuffer.allocate(0);

        BrotliReader(InputStream in) throws IOException {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            while (!made.hasRemaining()) {
                if (decoder.hasOutput()) {
                    made = decoder.pull();
                    continue;
                }
                if (decoder.getStatus() != DecoderJNI.Status.DONE) {
                    decoder.push(0);
                }
                if (decoder.getStatus() == DecoderJNI.Status.DONE && !decoder.hasOutput()) {
                    return -1;
                }
                if (decoder.getStatus() == DecoderJNI.Status.NEEDS_MORE_INPUT && !decoder.hasOutput()) {
                    decoder.getInputBuffer().put(0, (byte) in.read());
                    decoder.push(1);
                }
            }
            return made.get() & 0xFF;
        }

        @Override
        public int read(byte[] to, int from, int count) throws IOException {
            int first = count == 0 ? 0 : read();
            if (first < 0 || count == 0) {
                return first;
            }
            to[from] = (byte) first;
            int more = Math.min(count - 1, made.remaining());
            made.get(to, from + 1, more);
            return 1 + more;
        }
    }

    /** A body in that coding. */
    public static byte[] encoded(String coding, byte[] body) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (coding.equals("br")) {
            loaded(Coding.BR, body);
        }
        try (OutputStream out = switch (coding) {
            case "gzip" -> new GZIPOutputStream(all);
            case "deflate" -> new DeflaterOutputStream(all);
            case "br" -> new BrotliOutputStream(all, new Encoder.Parameters().setQuality(BROTLI_QUALITY));
            case "zstd" -> new ZstdOutputStream(all);
            default -> throw new IllegalArgumentException(coding);
        }) {
            out.write(body);
        }
        return all.toByteArray();
    }

    private static <T> T loaded(Coding coding, T what) {
        String why = coding.load();
        if (why != null) {
            throw new AssertionError(why);
        }
        return what;
    }
}
