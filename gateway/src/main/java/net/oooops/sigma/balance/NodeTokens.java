package net.oooops.sigma.balance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/**
 * What a client is given to name a node by: 128 bits of the HMAC-SHA256 of the node's name and its upstream's, as 22 characters of
 * base64url. Who hasn't the key can neither make one up nor learn a name from it; all clients of a node have the same, so that
 * nothing is signed or looked up by name for a request.
 *
 * <p>Immutable, any thread. Finding a node allocates nothing and takes as long whichever it is.
 */
public final class NodeTokens {
    /** Says what is signed, that the key may serve other ends. */
    private static final String PURPOSE = "sigma sticky 1";

    private static final int BYTES = 16;
    private static final int CHARS = 22;
    private static final byte[] SEXTETS = new byte[128];

    static {
        Arrays.fill(SEXTETS, (byte) -1);
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        for (int i = 0; i < alphabet.length(); i++) {
            SEXTETS[alphabet.charAt(i)] = (byte) i;
        }
    }

    private final long[] high;
    private final long[] low;
    private final String[] texts;

    /**
     * The tokens of the nodes of one upstream.
     *
     * @param key for HMAC-SHA256
     * @param upstream its id
     * @param nodes their names, in the order of their numbers
     */
    public NodeTokens(SecretKey key, String upstream, List<String> nodes) {
        high = new long[nodes.size()];
        low = new long[nodes.size()];
        texts = new String[nodes.size()];
        for (int node = 0; node < texts.length; node++) {
            ByteBuffer token = ByteBuffer.wrap(sign(key, PURPOSE + "\n" + upstream + "\n" + nodes.get(node)));
            high[node] = token.getLong();
            low[node] = token.getLong();
            texts[node] = Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(token.array(), BYTES));
        }
    }

    private static byte[] sign(SecretKey key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            // Every JDK has it, and it takes any key.
            throw new IllegalStateException(e);
        }
    }

    /** The token of a node. */
    public String text(int node) {
        return texts[node];
    }

    /** The node whose token {@code bytes[start, end)} is, or -1. */
    public int nodeOf(byte[] bytes, int start, int end) {
        if (end - start != CHARS) {
            return -1;
        }
        long first = 0;
        long last = 0;
        int invalid = 0;
        for (int i = start; i < end - 1; i++) {
            int sextet = sextet(bytes[i]);
            invalid |= sextet;
            first = first << 6 | last >>> 58;
            last = last << 6 | (sextet & 0x3F);
        }
        // Of the last one, two bits count, and the others are 0.
        int sextet = sextet(bytes[end - 1]);
        invalid |= sextet | -(sextet & 0xF);
        first = first << 2 | last >>> 62;
        last = last << 2 | (sextet & 0x3F) >>> 4;
        return invalid < 0 ? -1 : find(first, last);
    }

    private int find(long first, long last) {
        int found = -1;
        for (int node = 0; node < high.length; node++) {
            found = ((high[node] ^ first) | (low[node] ^ last)) == 0 ? node : found;
        }
        return found;
    }

    private static int sextet(byte b) {
        return b < 0 ? -1 : SEXTETS[b];
    }
}
