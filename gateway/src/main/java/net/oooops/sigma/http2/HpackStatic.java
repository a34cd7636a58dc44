package net.oooops.sigma.http2;

import java.util.Arrays;
import net.oooops.sigma.http.Octets;

/** The static table (RFC 7541 appendix A). Indices begin with 1. */
final class HpackStatic {
    /** The last index. */
    static final int COUNT = 61;

    static final int AUTHORITY = 1;
    static final int METHOD_GET = 2;
    static final int PATH_ROOT = 4;
    static final int SCHEME_HTTP = 6;
    static final int SCHEME_HTTPS = 7;
    static final int STATUS_200 = 8;

    private static final String[] TABLE = {
        ":authority",
        "",
        ":method",
        "GET",
        ":method",
        "POST",
        ":path",
        "/",
        ":path",
        "/index.html", //
        ":scheme",
        "http",
        ":scheme",
        "https",
        ":status",
        "200",
        ":status",
        "204",
        ":status",
        "206", //
        ":status",
        "304",
        ":status",
        "400",
        ":status",
        "404",
        ":status",
        "500",
        "accept-charset",
        "", //
        "accept-encoding",
        "gzip, deflate",
        "accept-language",
        "",
        "accept-ranges",
        "",
        "accept",
        "", //
        "access-control-allow-origin",
        "",
        "age",
        "",
        "allow",
        "",
        "authorization",
        "",
        "cache-control",
        "", //
        "content-disposition",
        "",
        "content-encoding",
        "",
        "content-language",
        "",
        "content-length",
        "", //
        "content-location",
        "",
        "content-range",
        "",
        "content-type",
        "",
        "cookie",
        "",
        "date",
        "",
        "etag",
        "", //
        "expect",
        "",
        "expires",
        "",
        "from",
        "",
        "host",
        "",
        "if-match",
        "",
        "if-modified-since",
        "", //
        "if-none-match",
        "",
        "if-range",
        "",
        "if-unmodified-since",
        "",
        "last-modified",
        "",
        "link",
        "", //
        "location",
        "",
        "max-forwards",
        "",
        "proxy-authenticate",
        "",
        "proxy-authorization",
        "",
        "range",
        "", //
        "referer",
        "",
        "refresh",
        "",
        "retry-after",
        "",
        "server",
        "",
        "set-cookie",
        "", //
        "strict-transport-security",
        "",
        "transfer-encoding",
        "",
        "user-agent",
        "",
        "vary",
        "",
        "via",
        "", //
        "www-authenticate",
        ""
    };

    private static final byte[][] NAMES = new byte[COUNT + 1][];
    private static final byte[][] VALUES = new byte[COUNT + 1][];

    private static final int SLOTS = 256;
    /** By the hash of a name, the first index that has it; 0 for none. The next slots are for others of the same hash. */
    private static final byte[] BY_NAME = new byte[SLOTS];

    static {
        for (int index = COUNT; index > 0; index--) {
            NAMES[index] = Octets.ascii(TABLE[2 * index - 2]);
            VALUES[index] = Octets.ascii(TABLE[2 * index - 1]);
        }
        for (int index = 1; index <= COUNT; index++) {
            byte[] name = NAMES[index];
            int slot = hash(name, 0, name.length) & (SLOTS - 1);
            while (BY_NAME[slot] != 0 && !Arrays.equals(NAMES[BY_NAME[slot]], name)) {
                slot = (slot + 1) & (SLOTS - 1);
            }
            if (BY_NAME[slot] == 0) {
                BY_NAME[slot] = (byte) index;
            }
        }
    }

    private HpackStatic() {}

    static byte[] name(int index) {
        return NAMES[index];
    }

    static byte[] value(int index) {
        return VALUES[index];
    }

    /** A hash of bytes. */
    static int hash(byte[] bytes, int start, int end) {
        int hash = 1;
        for (int i = start; i < end; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash ^ (hash >>> 15);
    }

    /** The first index with that name, which is in lower case and has that hash; 0 for none. */
    static int indexOf(byte[] bytes, int start, int end, int hash) {
        int slot = hash & (SLOTS - 1);
        while (BY_NAME[slot] != 0) {
            byte[] name = NAMES[BY_NAME[slot]];
            if (Arrays.equals(name, 0, name.length, bytes, start, end)) {
                return BY_NAME[slot];
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
        return 0;
    }

    /** Whether the entry has that value. */
    static boolean hasValue(int index, byte[] bytes, int start, int end) {
        byte[] value = VALUES[index];
        return value.length > 0 && Arrays.equals(value, 0, value.length, bytes, start, end);
    }
}
