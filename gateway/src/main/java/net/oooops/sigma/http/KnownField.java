package net.oooops.sigma.http;

/** The fields that the gateway itself must know, told apart by length and bytes, without a hash and without a String. */
public final class KnownField {
    static final int OTHER = 0;
    static final int CONNECTION = 1;
    static final int CONTENT_LENGTH = 2;
    static final int TRANSFER_ENCODING = 3;
    /** {@code Host}. */
    public static final int HOST = 4;
    /** {@code Expect}. */
    public static final int EXPECT = 5;

    static final int KEEP_ALIVE = 6;
    static final int PROXY_CONNECTION = 7;
    static final int PROXY_AUTHORIZATION = 8;
    /** {@code TE}. */
    public static final int TE = 9;

    /** {@code Trailer}. */
    public static final int TRAILER = 10;

    static final int UPGRADE = 11;
    static final int HTTP2_SETTINGS = 12;
    /** {@code Via}. */
    public static final int VIA = 13;
    /** {@code Forwarded}. */
    public static final int FORWARDED = 14;
    /** {@code X-Forwarded-For}. */
    public static final int X_FORWARDED_FOR = 15;
    /** {@code X-Forwarded-Proto}. */
    public static final int X_FORWARDED_PROTO = 16;
    /** {@code X-Forwarded-Host}. */
    public static final int X_FORWARDED_HOST = 17;
    /** {@code X-Forwarded-Port}. */
    public static final int X_FORWARDED_PORT = 18;
    /** {@code X-Forwarded-Prefix}. */
    public static final int X_FORWARDED_PREFIX = 19;

    static final int DATE = 20;
    static final int AUTHORIZATION = 21;
    /** One of the {@code X-Forwarded}, {@code X-Consumer} or {@code Client-Cert} fields with an underscore for a dash: not the same, but the same to CGI and its like. */
    static final int FORWARDING_LIKE = 22;

    /** {@code Client-Cert}. */
    static final int CLIENT_CERT = 23;
    /** {@code Client-Cert-Chain}. */
    static final int CLIENT_CERT_CHAIN = 24;

    /** One that begins with {@code X-Consumer-}. */
    public static final int X_CONSUMER = 25;

    static final int COOKIE = 26;

    /** By the number of each; of {@link #X_CONSUMER} the beginning. */
    private static final byte[][] NAMES = new byte[27][];

    /** Those that hold for one connection only (RFC 9110 section 7.6.1), or that framing is written from. */
    private static final boolean[] HOP_BY_HOP = new boolean[27];

    /** Those that no trailer section may carry (RFC 9110 section 6.5.1). */
    private static final boolean[] NEVER_TRAILER = new boolean[27];

    /** Those that a Connection field can't name away: they are needed to deliver the message or to judge it. */
    private static final boolean[] END_TO_END = new boolean[27];

    static {
        NAMES[CONNECTION] = Octets.ascii("connection");
        NAMES[CONTENT_LENGTH] = Octets.ascii("content-length");
        NAMES[TRANSFER_ENCODING] = Octets.ascii("transfer-encoding");
        NAMES[HOST] = Octets.ascii("host");
        NAMES[EXPECT] = Octets.ascii("expect");
        NAMES[KEEP_ALIVE] = Octets.ascii("keep-alive");
        NAMES[PROXY_CONNECTION] = Octets.ascii("proxy-connection");
        NAMES[PROXY_AUTHORIZATION] = Octets.ascii("proxy-authorization");
        NAMES[TE] = Octets.ascii("te");
        NAMES[TRAILER] = Octets.ascii("trailer");
        NAMES[UPGRADE] = Octets.ascii("upgrade");
        NAMES[HTTP2_SETTINGS] = Octets.ascii("http2-settings");
        NAMES[VIA] = Octets.ascii("via");
        NAMES[FORWARDED] = Octets.ascii("forwarded");
        NAMES[X_FORWARDED_FOR] = Octets.ascii("x-forwarded-for");
        NAMES[X_FORWARDED_PROTO] = Octets.ascii("x-forwarded-proto");
        NAMES[X_FORWARDED_HOST] = Octets.ascii("x-forwarded-host");
        NAMES[X_FORWARDED_PORT] = Octets.ascii("x-forwarded-port");
        NAMES[X_FORWARDED_PREFIX] = Octets.ascii("x-forwarded-prefix");
        NAMES[DATE] = Octets.ascii("date");
        NAMES[AUTHORIZATION] = Octets.ascii("authorization");
        NAMES[CLIENT_CERT] = Octets.ascii("client-cert");
        NAMES[CLIENT_CERT_CHAIN] = Octets.ascii("client-cert-chain");
        NAMES[COOKIE] = Octets.ascii("cookie");
        NAMES[X_CONSUMER] = Octets.ascii("x-consumer-");
        for (int known : new int[] {
            CONNECTION,
            CONTENT_LENGTH,
            TRANSFER_ENCODING,
            KEEP_ALIVE,
            PROXY_CONNECTION,
            PROXY_AUTHORIZATION,
            TE,
            UPGRADE,
            HTTP2_SETTINGS
        }) {
            HOP_BY_HOP[known] = true;
        }
        for (int known = 1; known < NAMES.length; known++) {
            NEVER_TRAILER[known] = known != DATE && known != VIA;
        }
        for (int known : new int[] {
            HOST,
            AUTHORIZATION,
            VIA,
            FORWARDED,
            X_FORWARDED_FOR,
            X_FORWARDED_PROTO,
            X_FORWARDED_HOST,
            X_FORWARDED_PORT,
            X_FORWARDED_PREFIX,
            CLIENT_CERT,
            CLIENT_CERT_CHAIN,
            X_CONSUMER
        }) {
            END_TO_END[known] = true;
        }
    }

    private KnownField() {}

    /** Which known field {@code bytes[start, end)} names, or {@link #OTHER}. */
    public static int of(byte[] bytes, int start, int end) {
        int candidate = switch (end - start) {
            case 2 -> TE;
            case 3 -> VIA;
            case 4 -> (bytes[start] | 0x20) == 'h' ? HOST : DATE;
            case 6 -> (bytes[start] | 0x20) == 'e' ? EXPECT : COOKIE;
            case 7 -> (bytes[start] | 0x20) == 't' ? TRAILER : UPGRADE;
            case 9 -> FORWARDED;
            case 10 -> (bytes[start] | 0x20) == 'c' ? CONNECTION : KEEP_ALIVE;
            case 11 -> CLIENT_CERT;
            case 13 -> AUTHORIZATION;
            case 14 -> (bytes[start] | 0x20) == 'c' ? CONTENT_LENGTH : HTTP2_SETTINGS;
            case 15 -> X_FORWARDED_FOR;
            case 16 -> ofSixteen(bytes, start);
            case 17 -> ofSeventeen(bytes[start] | 0x20);
            case 18 -> X_FORWARDED_PREFIX;
            case 19 -> PROXY_AUTHORIZATION;
            default -> OTHER;
        };
        if (candidate != OTHER && Octets.equalsIgnoreCase(bytes, start, end, NAMES[candidate])) {
            return candidate;
        }
        boolean forwarding = (candidate >= X_FORWARDED_FOR && candidate <= X_FORWARDED_PREFIX)
                || candidate == CLIENT_CERT
                || candidate == CLIENT_CERT_CHAIN;
        if (forwarding && readsAs(bytes, start, NAMES[candidate])) {
            return FORWARDING_LIKE;
        }
        return (bytes[start] | 0x20) == 'x' ? ofPrefix(bytes, start, end) : OTHER;
    }

    private static int ofPrefix(byte[] bytes, int start, int end) {
        byte[] prefix = NAMES[X_CONSUMER];
        if (end - start <= prefix.length || !readsAs(bytes, start, prefix)) {
            return OTHER;
        }
        return Octets.equalsIgnoreCase(bytes, start, start + prefix.length, prefix) ? X_CONSUMER : FORWARDING_LIKE;
    }

    /** Whether the name that begins at {@code start}, as long as {@code known}, is the same where underscores are dashes. */
    private static boolean readsAs(byte[] bytes, int start, byte[] known) {
        for (int i = 0; i < known.length; i++) {
            int b = bytes[start + i];
            int lower = b == '_' ? '-' : b >= 'A' && b <= 'Z' ? b | 0x20 : b;
            if (lower != known[i]) {
                return false;
            }
        }
        return true;
    }

    private static int ofSixteen(byte[] bytes, int start) {
        if ((bytes[start] | 0x20) == 'p') {
            return PROXY_CONNECTION;
        }
        return (bytes[start + 12] | 0x20) == 'h' ? X_FORWARDED_HOST : X_FORWARDED_PORT;
    }

    private static int ofSeventeen(int first) {
        return switch (first) {
            case 't' -> TRANSFER_ENCODING;
            case 'c' -> CLIENT_CERT_CHAIN;
            default -> X_FORWARDED_PROTO;
        };
    }

    /** Whether no message of HTTP/2 may have it (RFC 9113 section 8.2.2); TE may say {@code trailers} there. */
    public static boolean isOfTheConnection(int known) {
        return switch (known) {
            case CONNECTION, KEEP_ALIVE, PROXY_CONNECTION, TRANSFER_ENCODING, UPGRADE -> true;
            default -> false;
        };
    }

    static boolean isHopByHop(int known) {
        return HOP_BY_HOP[known];
    }

    public static boolean isNeverTrailer(int known) {
        return NEVER_TRAILER[known];
    }

    static boolean isEndToEnd(int known) {
        return END_TO_END[known];
    }
}
