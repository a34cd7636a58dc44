package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.ArrayList;
import java.util.List;

class HpackDecoderFuzzTest {
    private static final int TABLE_BYTES = 4096;

    /** A field of 32 bytes (RFC 7541 section 4.1). When Netty's table is full of these it takes itself for empty, so it isn't asked about them. */
    private static final String SMALLEST = ": ";

    /** Blocks of one connection, each behind a byte with its length: what is taken, Netty takes too, and reads the same fields in it. */
    @FuzzTest
    void whatIsTakenAnotherReadsTheSame(byte[] raw) throws Http2Exception {
        HpackDecoder decoder = new HpackDecoder(TABLE_BYTES, new HpackRoom());
        DefaultHttp2HeadersDecoder netty = new DefaultHttp2HeadersDecoder(false, Integer.MAX_VALUE);
        int at = 0;
        boolean compared = true;
        while (at < raw.length && compared) {
            int start = at + 1;
            int end = Math.min(raw.length, start + (raw[at] & 0xFF));
            DecodedFields fields = new DecodedFields();
            compared =
                    decoder.decode(raw, start, end, fields) && !fields.lines().contains(SMALLEST);
            if (compared) {
                List<String> others = new ArrayList<>();
                netty.decodeHeaders(3, Unpooled.wrappedBuffer(raw, start, end - start))
                        .forEach(field -> others.add(field.getKey() + ": " + field.getValue()));
                assertThat(fields.lines()).containsExactlyInAnyOrderElementsOf(others);
            }
            at = end;
        }
    }
}
