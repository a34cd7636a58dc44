package net.oooops.sigma.plugins.authentication.jose;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/** Reads public keys in JSON (JWK and JWK Set, RFC 7517). */
public final class JwkReader {
    /** What tells that a key is private, or a secret. */
    private static final List<String> PRIVATE = List.of("d", "p", "q", "dp", "dq", "qi", "oth", "k");

    private JwkReader() {}

    /**
     * The keys of a set that signatures may be verified with; others, secrets too, are left out.
     *
     * @param allowed the algorithms that may be
     * @throws UnfitException where it is no set, or has none
     */
    public static KeySet set(String text, Set<Algorithm> allowed) {
        Map<String, Object> set = Json.object(text);
        if (set == null || !(set.get("keys") instanceof List<?> list)) {
            throw new UnfitException("a JWK Set: an object of JSON with \"keys\"");
        }
        if (list.size() > KeySet.COUNT_MAX) {
            throw new UnfitException("at most " + KeySet.COUNT_MAX + " keys");
        }
        List<VerificationKey> keys = new ArrayList<>();
        for (Object each : list) {
            if (each instanceof Map<?, ?> jwk) {
                VerificationKey key = usable(jwk, allowed);
                if (key != null) {
                    keys.add(key);
                }
            }
        }
        if (keys.isEmpty()) {
            throw new UnfitException("at least one public key for signatures by " + allowed);
        }
        return new KeySet(keys);
    }

    private static @Nullable VerificationKey usable(Map<?, ?> jwk, Set<Algorithm> allowed) {
        try {
            VerificationKey key = key(jwk);
            Set<Algorithm> both = EnumSet.copyOf(key.algorithms());
            both.retainAll(allowed);
            return both.isEmpty() ? null : key.only(both);
        } catch (UnfitException e) {
            return null;
        }
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
        PublicKey key;
        try {
            key = switch (text(jwk, "kty")) {
                case "RSA" -> PublicKeys.ofRsa(bytes(jwk, "n"), bytes(jwk, "e"));
                case "EC" -> PublicKeys.ofEc(text(jwk, "crv"), bytes(jwk, "x"), bytes(jwk, "y"));
                case "OKP" -> ofEd25519(jwk);
                default -> throw new UnfitException("kty of RSA, EC or OKP");
            };
        } catch (GeneralSecurityException e) {
            throw new UnfitException("a key that the JDK can use");
        }
        Set<Algorithm> algorithms = EnumSet.copyOf(PublicKeys.algorithms(key));
        if (jwk.containsKey("alg")) {
            Algorithm own = Algorithm.of(text(jwk, "alg"));
            algorithms.removeIf(each -> each != own);
            if (algorithms.isEmpty()) {
                throw new UnfitException("alg for signatures by that key");
            }
        }
        return new VerificationKey(jwk.containsKey("kid") ? text(jwk, "kid") : null, Verifier.of(key), algorithms);
    }

    private static PublicKey ofEd25519(Map<?, ?> jwk) throws GeneralSecurityException {
        if (!text(jwk, "crv").equals("Ed25519")) {
            throw new UnfitException("crv of Ed25519");
        }
        return PublicKeys.ofEd25519(bytes(jwk, "x"));
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
