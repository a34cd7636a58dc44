package net.oooops.sigma.http2;

import net.oooops.sigma.http.Octets;

/** Numbers of RFC 9113: types of frames and their flags, settings, sizes. */
final class Frames {
    static final int DATA = 0x0;
    static final int HEADERS = 0x1;
    static final int PRIORITY = 0x2;
    static final int RST_STREAM = 0x3;
    static final int SETTINGS = 0x4;
    static final int PUSH_PROMISE = 0x5;
    static final int PING = 0x6;
    static final int GOAWAY = 0x7;
    static final int WINDOW_UPDATE = 0x8;
    static final int CONTINUATION = 0x9;
    /** RFC 9218 section 7.1. */
    static final int PRIORITY_UPDATE = 0x10;

    static final int ACK = 0x1;
    static final int END_STREAM = 0x1;
    static final int END_HEADERS = 0x4;
    static final int PADDED = 0x8;
    static final int PRIORITIZED = 0x20;

    static final int HEADER_TABLE_SIZE = 0x1;
    static final int ENABLE_PUSH = 0x2;
    static final int MAX_CONCURRENT_STREAMS = 0x3;
    static final int INITIAL_WINDOW_SIZE = 0x4;
    static final int MAX_FRAME_SIZE = 0x5;
    static final int MAX_HEADER_LIST_SIZE = 0x6;
    /** RFC 8441 section 3. */
    static final int ENABLE_CONNECT_PROTOCOL = 0x8;
    /** RFC 9218 section 2.1. */
    static final int NO_RFC7540_PRIORITIES = 0x9;

    static final int HEADER_BYTES = 9;
    /** The largest payload that Sigma takes and sends: what every peer has to take. */
    static final int PAYLOAD_BYTES_MAX = 16_384;

    static final int PAYLOAD_BYTES_LIMIT = (1 << 24) - 1;
    static final int WINDOW_BYTES_FIRST = 65_535;
    static final int WINDOW_BYTES_LIMIT = Integer.MAX_VALUE;
    static final int STREAM_LIMIT = Integer.MAX_VALUE;
    static final int PING_BYTES = 8;

    /** What a client sends before its first frame (RFC 9113 section 3.4). */
    static final byte[] PREFACE = Octets.ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

    private Frames() {}

    /** Four bytes in network order. */
    static int int32(byte[] from, int at) {
        return (from[at] << 24) | ((from[at + 1] & 0xFF) << 16) | ((from[at + 2] & 0xFF) << 8) | (from[at + 3] & 0xFF);
    }

    /** Two bytes in network order. */
    static int int16(byte[] from, int at) {
        return ((from[at] & 0xFF) << 8) | (from[at + 1] & 0xFF);
    }
}
