package net.oooops.sigma.tls;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a client says first (ClientHello, RFC 8446 section 4.1.2), in one record or several. */
final class Hello {
    /** The content type of a handshake (RFC 8446 section 5.1). */
    static final int HANDSHAKE = 22;

    private static final int RECORD_HEADER = 5;
    private static final int RECORD_BYTES_MAX = (1 << 14) + 256;
    /** No client cuts one into more; each takes a look with each piece that comes. */
    private static final int RECORDS_MAX = 1024;

    private static final int MESSAGE_HEADER = 4;
    /** No engine takes a longer one; with keys for after quantum computers it is some 2 KiB. */
    static final int BYTES_MAX = 1 << 14;

    private Hello() {}

    /** Whether all of it is there, or so much that an engine can say what is wrong with it. */
    static boolean isWhole(ByteBuf in) {
        int at = in.readerIndex();
        int end = in.writerIndex();
        int seen = 0;
        int length = 0;
        for (int records = 0; end - at >= RECORD_HEADER; records++) {
            int record = in.getUnsignedShort(at + 3);
            if (in.getUnsignedByte(at) != HANDSHAKE
                    || record == 0
                    || record > RECORD_BYTES_MAX
                    || records > RECORDS_MAX) {
                return true;
            }
            at += RECORD_HEADER;
            int here = Math.min(record, end - at);
            for (int i = 0; i < here && seen + i < MESSAGE_HEADER; i++) {
                // Its type, then its length.
                length = seen + i == 0 ? 0 : length << 8 | in.getUnsignedByte(at + i);
            }
            seen += here;
            if (seen >= MESSAGE_HEADER && (seen - MESSAGE_HEADER >= length || length > BYTES_MAX)) {
                return true;
            }
            at += here;
        }
        return false;
    }

    /** The first message, out of its records; null where they aren't those of a handshake, or it isn't whole. */
    static byte @Nullable [] message(ByteBuf in) {
        int at = in.readerIndex();
        int end = in.writerIndex();
        byte[] message = new byte[end - at];
        int seen = 0;
        for (int records = 0; end - at >= RECORD_HEADER && records <= RECORDS_MAX; records++) {
            int record = in.getUnsignedShort(at + 3);
            if (in.getUnsignedByte(at) != HANDSHAKE
                    || record == 0
                    || record > RECORD_BYTES_MAX
                    || end - at < RECORD_HEADER + record) {
                return null;
            }
            in.getBytes(at + RECORD_HEADER, message, seen, record);
            seen += record;
            at += RECORD_HEADER + record;
            int bytes = seen < MESSAGE_HEADER
                    ? Integer.MAX_VALUE
                    : MESSAGE_HEADER + ((message[1] & 0xFF) << 16 | (message[2] & 0xFF) << 8 | (message[3] & 0xFF));
            if (seen >= bytes) {
                return Arrays.copyOf(message, bytes);
            }
        }
        return null;
    }
}
