package net.oooops.sigma.plugins.authentication.jose;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A token as it was sent, in the compact form of a JWS (RFC 7515 section 7.1), not verified. Of its head only what says how it is signed is looked
 * at: keys, and places of keys, that it names itself (jwk, jku, x5c, x5u) aren't.
 */
public final class Token {
    private static final String MEDIA_TYPE = "application/";

    /** What a token asks for that has them, whatever they say: nothing of it is done here. */
    private static final Set<String> ASKING = Set.of("crit", "b64", "enc");

    /** Why a token can't be read. */
    public enum Unreadable {
        MALFORMED,
        /** It is signed in a way that nobody here verifies: not at all, by {@code none}, too. */
        ALGORITHM
    }

    /** A token, or why it can't be read. */
    public record Read(@Nullable Token token, @Nullable Unreadable why) {
        private static final Read MALFORMED = new Read(null, Unreadable.MALFORMED);
        private static final Read ALGORITHM = new Read(null, Unreadable.ALGORITHM);
    }

    private final Algorithm algorithm;
    private final Map<String, Object> fields;
    private final byte[] signed;
    private final byte[] payload;
    private final byte[] signature;

    private Token(Algorithm algorithm, Map<String, Object> fields, byte[] signed, byte[] payload, byte[] signature) {
        this.algorithm = algorithm;
        this.fields = fields;
        this.signed = signed;
        this.payload = payload;
        this.signature = signature;
    }

    public static Read read(String text) {
        int first = text.indexOf('.');
        int second = text.indexOf('.', first + 1);
        if (first < 0 || second < 0 || text.indexOf('.', second + 1) >= 0) {
            return Read.MALFORMED;
        }
        byte[] head = Base64Url.decoded(text.substring(0, first));
        byte[] payload = Base64Url.decoded(text.substring(first + 1, second));
        byte[] signature = Base64Url.decoded(text.substring(second + 1));
        if (head == null || payload == null || signature == null) {
            return Read.MALFORMED;
        }
        Map<String, Object> fields = Json.object(head, ASKING);
        if (fields == null || !isPlain(fields)) {
            return Read.MALFORMED;
        }
        Algorithm algorithm = fields.get("alg") instanceof String name ? algorithm(name, signature) : null;
        if (algorithm == null) {
            return Read.ALGORITHM;
        }
        byte[] signed = text.substring(0, second).getBytes(StandardCharsets.ISO_8859_1);
        Token token = new Token(algorithm, fields, signed, payload, signature);
        return signature.length == 0 ? Read.MALFORMED : new Read(token, null);
    }

    /**
     * Whether the head asks for nothing that isn't done here: extensions (RFC 7515 section 4.1.11), a payload that isn't encoded (RFC 7797), or
     * another token in the payload.
     */
    private static boolean isPlain(Map<String, Object> fields) {
        boolean texts = isText(fields, "typ") && isText(fields, "kid") && isText(fields, "cty");
        return texts
                && Collections.disjoint(fields.keySet(), ASKING)
                && !(fields.get("cty") instanceof String content
                        && bare(content).equalsIgnoreCase("JWT"));
    }

    /** Null where nobody here verifies such a one. */
    private static @Nullable Algorithm algorithm(String name, byte[] signature) {
        Algorithm found = null;
        for (Algorithm each : Algorithm.named(name)) {
            if (found == null || each.bytes() == signature.length) {
                found = each;
            }
        }
        return found;
    }

    private static boolean isText(Map<String, Object> fields, String name) {
        return !fields.containsKey(name) || fields.get(name) instanceof String;
    }

    private static String bare(String mediaType) {
        return mediaType.regionMatches(true, 0, MEDIA_TYPE, 0, MEDIA_TYPE.length())
                ? mediaType.substring(MEDIA_TYPE.length())
                : mediaType;
    }

    /** By what it says that it is signed. */
    public Algorithm algorithm() {
        return algorithm;
    }

    /** {@code typ} without {@code application/}, or null. */
    public @Nullable String type() {
        return fields.get("typ") instanceof String type ? bare(type) : null;
    }

    /** {@code kid}, or null; it is compared, and nothing else. */
    public @Nullable String keyId() {
        return fields.get("kid") instanceof String id ? id : null;
    }

    /** Whether it is signed with that one's key, in the way that it says. */
    public boolean isSignedWith(Verifier verifier) {
        return verifier.verify(algorithm, signed, signature);
    }

    /** The claims, or null where the payload is no JSON object. */
    public @Nullable Map<String, Object> claims() {
        return Json.object(payload);
    }

    /** Base64 for URLs without padding, in the one way that bytes are written in it: else one token would have several forms. */
    public static final class Base64Url {
        private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

        private Base64Url() {}

        public static byte @Nullable [] decoded(String text) {
            int over = text.length() % 4;
            int unused = over == 2 ? 0x0F : over == 3 ? 0x03 : 0;
            if (over == 1 || text.indexOf('=') >= 0) {
                return null;
            }
            if (unused != 0 && (ALPHABET.indexOf(text.charAt(text.length() - 1)) & unused) != 0) {
                return null;
            }
            try {
                return Base64.getUrlDecoder().decode(text);
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
    }
}
