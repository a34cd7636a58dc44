package net.oooops.sigma.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import net.oooops.sigma.api.FieldName;
import org.jspecify.annotations.Nullable;

/**
 * The key of a WebSocket's handshake over HTTP/1.1, and the answer by which a server shows that it has understood it (RFC 6455 sections
 * 4.1, 4.2.2). HTTP/2 has neither (RFC 8441 section 5). Any thread; allocates, once for each WebSocket.
 */
public final class WebSocketKey {
    /** The protocol's name. */
    public static final byte[] WEBSOCKET = Octets.ascii("websocket");

    /** The field that carries the key. */
    public static final FieldName KEY = FieldName.of("Sec-WebSocket-Key");

    /** The field that carries the answer. */
    public static final FieldName ACCEPT = FieldName.of("Sec-WebSocket-Accept");

    private static final String ANSWERED_WITH = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int KEY_BYTES = 16;
    private static final int KEY_CHARACTERS = 24;

    private WebSocketKey() {}

    /** Whether that is a key: 16 bytes in Base64. */
    public static boolean isOne(@Nullable String key) {
        if (key == null || key.length() != KEY_CHARACTERS) {
            return false;
        }
        try {
            return Base64.getDecoder().decode(key).length == KEY_BYTES;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /** The answer to a key. */
    public static String answerTo(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return Base64.getEncoder()
                    .encodeToString(sha1.digest((key + ANSWERED_WITH).getBytes(StandardCharsets.ISO_8859_1)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-1 (expected: in every JDK)", e);
        }
    }
}
