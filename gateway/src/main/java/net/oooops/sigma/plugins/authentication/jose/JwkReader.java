package net.oooops.sigma.plugins.authentication.jose;

import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/** Reads public keys in JSON (JWK and JWK Set, RFC 7517). */
public final class JwkReader {
    /** What tells that a key is private, or a secret. */
    private static final List<String> PRIVATE = List.of("d", "p", "q", "dp", "dq", "qi", "oth", "k");

    private JwkReader() {}

    /**
     * What a set has.
     *
     * @param usable may be none
     * @param leftOut what was expected of each of the others
     */
    public record Found(KeySet usable, List<String> leftOut) {
        public Found {
            leftOut = List.copyOf(leftOut);
        }

        public boolean isEmpty() {
            return usable.keys().isEmpty();
        }

        /** What was left out and why, for whoever reads the log. */
        public String summary() {
            return leftOut.isEmpty()
                    ? "it is empty"
                    : leftOut.size() + " left out, expected: "
                            + leftOut.stream().distinct().collect(Collectors.joining("; "));
        }
    }

    /**
     * The keys of a set that signatures may be verified with; others, secrets too, are left out.
     *
     * @param allowed the algorithms that may be
     * @throws UnfitException where it is no set
     */
    public static Found set(String text, Set<Algorithm> allowed) {
        Map<String, Object> set = Json.object(text);
        if (set == null || !(set.get("keys") instanceof List<?> list)) {
            throw new UnfitException("a JWK Set: an object of JSON with \"keys\"");
        }
        if (list.size() > KeySet.COUNT_MAX) {
            throw new UnfitException("at most " + KeySet.COUNT_MAX + " keys");
        }
        List<VerificationKey> usable = new ArrayList<>();
        List<String> leftOut = new ArrayList<>();
        for (Object each : list) {
            try {
                usable.add(usable(each, allowed));
            } catch (UnfitException e) {
                leftOut.add(e.expected());
            }
        }
        return new Found(new KeySet(usable), leftOut);
    }

    /** What sets are equal by: by their keys, in whichever order these stand. What is no set is equal to itself alone. */
    public static Object comparable(String text) {
        Map<String, Object> set = Json.object(text);
        return set != null && set.get("keys") instanceof List<?> list ? new HashSet<>(list) : text;
    }

    private static VerificationKey usable(Object written, Set<Algorithm> allowed) {
        if (!(written instanceof Map<?, ?> jwk)) {
            throw new UnfitException("an object");
        }
        VerificationKey key = key(jwk);
        Set<Algorithm> both = EnumSet.copyOf(key.algorithms());
        both.retainAll(allowed);
        if (both.isEmpty()) {
            throw new UnfitException("one of the algorithms " + allowed);
        }
        return key.only(both);
    }

    /** Refuses private keys and secrets, which don't belong where others may read. */
    public static VerificationKey publicKey(Map<?, ?> jwk) {
        for (String each : PRIVATE) {
            if (jwk.containsKey(each)) {
                throw new UnfitException("a public key; \"" + each + "\" is of a private one or a secret");
            }
        }
        return key(jwk);
    }

    /**
     * The key.
     *
     * @throws UnfitException where signatures can't be verified with it
     */
    private static VerificationKey key(Map<?, ?> jwk) {
        checkUse(jwk);
        VerificationKey key = plain(jwk, jwk.containsKey("kid") ? text(jwk, "kid") : null);
        if (!jwk.containsKey("alg")) {
            return key;
        }
        Set<Algorithm> both = EnumSet.copyOf(key.algorithms());
        both.retainAll(Algorithm.named(text(jwk, "alg")));
        if (both.isEmpty()) {
            throw new UnfitException("alg for signatures by that key");
        }
        return key.only(both);
    }

    /** For all algorithms that are for it. */
    private static VerificationKey plain(Map<?, ?> jwk, @Nullable String id) {
        try {
            return switch (text(jwk, "kty")) {
                case "RSA" -> PublicKeys.key(id, PublicKeys.ofRsa(bytes(jwk, "n"), bytes(jwk, "e")));
                case "EC" -> ofEc(jwk, id);
                case "OKP" -> PublicKeys.key(id, PublicKeys.ofEdwards(text(jwk, "crv"), bytes(jwk, "x")));
                default -> throw new UnfitException("kty of RSA, EC or OKP");
            };
        } catch (GeneralSecurityException e) {
            throw new UnfitException("a key that the JDK can use");
        }
    }

    private static VerificationKey ofEc(Map<?, ?> jwk, @Nullable String id) throws GeneralSecurityException {
        String curve = text(jwk, "crv");
        byte[] x = bytes(jwk, "x");
        byte[] y = bytes(jwk, "y");
        return curve.equals("secp256k1")
                ? Secp256k1.key(id, Secp256k1.encoded(x, y))
                : PublicKeys.key(id, PublicKeys.ofEc(curve, x, y));
    }

    private static void checkUse(Map<?, ?> jwk) {
        if (jwk.containsKey("use") && !"sig".equals(jwk.get("use"))) {
            throw new UnfitException("use of sig");
        }
        if (jwk.containsKey("key_ops") && !(jwk.get("key_ops") instanceof List<?> uses && uses.contains("verify"))) {
            throw new UnfitException("key_ops with verify");
        }
    }

    private static String text(Map<?, ?> jwk, String name) {
        if (jwk.get(name) instanceof String text) {
            return text;
        }
        throw new UnfitException("a text \"" + name + "\"");
    }

    private static byte[] bytes(Map<?, ?> jwk, String name) {
        byte[] bytes = Token.Base64Url.decoded(text(jwk, name));
        if (bytes == null || bytes.length == 0) {
            throw new UnfitException("\"" + name + "\" in base64url");
        }
        return bytes;
    }
}
