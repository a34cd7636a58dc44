package net.oooops.sigma.plugins.authentication.jwt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.crypto.spec.SecretKeySpec;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.plugins.authentication.jose.JwkReader;
import net.oooops.sigma.plugins.authentication.jose.KeySet;
import net.oooops.sigma.plugins.authentication.jose.PublicKeys;
import net.oooops.sigma.plugins.authentication.jose.VerificationKey;
import net.oooops.sigma.plugins.authentication.jose.Verifier;
import org.jspecify.annotations.Nullable;

/** Reads the keys that stand in sigma.json itself. */
final class OwnKeys {
    /** Each is of one algorithm, or of those of its kind. */
    static final String SCHEMA = """
            {
              "title": "keys",
              "description": "Keys that signatures are verified with. Each is one of `pem`, `jwk` and `secret`.",
              "type": "array",
              "maxItems": 100,
              "default": [],
              "items": {
                "title": "a key",
                "description": "One key.",
                "type": "object",
                "additionalProperties": false,
                "oneOf": [{ "required": ["pem"] }, { "required": ["jwk"] }, { "required": ["secret", "algorithm"] }],
                "properties": {
                  "id": {
                    "title": "id",
                    "description": "The `kid` of tokens that are signed by it. Without one it may be any token's; a `jwk` has its own.",
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 256
                  },
                  "algorithm": {
                    "title": "algorithm",
                    "description": "The one algorithm that it is for; a `secret` needs it. Left out: all that are for keys of its kind.",
                    "enum": ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "ES256K", "EdDSA", "Ed25519", "Ed448", "HS256", "HS384", "HS512"]
                  },
                  "pem": {
                    "title": "pem",
                    "description": "A public key or a certificate in PEM. `{ \\"$file\\": \\"issuer.pem\\" }` takes it from a file.",
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 16384,
                    "x-secret": true
                  },
                  "jwk": {
                    "title": "jwk",
                    "description": "A public key as JWK (RFC 7517).",
                    "type": "object"
                  },
                  "secret": {
                    "title": "secret",
                    "description": "What the issuer shares with Sigma: 32 bytes at least for HS256, 48 for HS384, 64 for HS512. Whoever has it can issue tokens, too.",
                    "type": "string",
                    "minLength": 32,
                    "maxLength": 4096,
                    "x-secret": true
                  },
                  "encoding": {
                    "title": "encoding",
                    "description": "What `secret` is written in.",
                    "enum": ["text", "base64", "base64url"],
                    "default": "text"
                  }
                }
              }
            }""";

    private OwnKeys() {}

    /** The keys, each for those of its algorithms that are allowed. */
    static KeySet of(Settings list, Set<Algorithm> allowed) {
        List<VerificationKey> keys = new ArrayList<>();
        for (Settings each : list.elements()) {
            VerificationKey key = key(each);
            Set<Algorithm> left = EnumSet.copyOf(key.algorithms());
            left.retainAll(allowed);
            if (left.isEmpty()) {
                throw unfit(each, "a key for one of the algorithms that are allowed: " + allowed);
            }
            keys.add(key.only(left));
        }
        return new KeySet(keys);
    }

    private static VerificationKey key(Settings settings) {
        String id = settings.get("id").isPresent() ? settings.get("id").string() : null;
        if (settings.get("secret").isPresent()) {
            return secret(settings, id);
        }
        boolean isPem = settings.get("pem").isPresent();
        Settings written = settings.get(isPem ? "pem" : "jwk");
        VerificationKey key;
        try {
            key = isPem ? PublicKeys.ofPem(written.string(), id) : ofJwk(written, id);
        } catch (UnfitException e) {
            throw unfit(written, e.expected());
        }
        Settings algorithm = settings.get("algorithm");
        if (!algorithm.isPresent()) {
            return key;
        }
        Set<Algorithm> only = EnumSet.copyOf(key.algorithms());
        only.retainAll(Algorithm.named(algorithm.string()));
        if (only.isEmpty()) {
            throw algorithm.unexpected("an algorithm that is for that key: " + key.algorithms());
        }
        return key.only(only);
    }

    private static VerificationKey ofJwk(Settings jwk, @Nullable String id) {
        Map<String, Object> members = new HashMap<>();
        for (String name : jwk.keys()) {
            Settings member = jwk.get(name);
            if (name.equals("key_ops")) {
                members.put(
                        name, member.elements().stream().map(Settings::string).toList());
            } else if (!member.isList()) {
                members.put(name, member.string());
            }
        }
        VerificationKey key = JwkReader.publicKey(members);
        return id == null ? key : new VerificationKey(id, key.verifier(), key.algorithms());
    }

    private static VerificationKey secret(Settings settings, @Nullable String id) {
        Settings algorithm = settings.get("algorithm");
        Set<Algorithm> named = Algorithm.named(algorithm.string());
        named.removeAll(Algorithm.ofPublicKeys());
        if (named.isEmpty()) {
            throw algorithm.unexpected("HS256, HS384 or HS512 for a secret");
        }
        Algorithm only = named.iterator().next();
        Settings secret = settings.get("secret");
        byte[] bytes;
        try {
            bytes = switch (settings.get("encoding").string("text")) {
                case "base64" -> Base64.getDecoder().decode(secret.string());
                case "base64url" -> Base64.getUrlDecoder().decode(secret.string());
                default -> secret.string().getBytes(StandardCharsets.UTF_8);
            };
        } catch (IllegalArgumentException e) {
            throw unfit(secret, "what encoding says");
        }
        if (bytes.length < only.bytes()) {
            throw unfit(secret, "at least " + only.bytes() + " bytes for " + only);
        }
        return new VerificationKey(id, Verifier.of(new SecretKeySpec(bytes, "HMAC")), EnumSet.of(only));
    }

    /** Without the key: others may see what is told. */
    private static SettingsException unfit(Settings key, String expected) {
        return new SettingsException(key.pointer(), "a key", expected);
    }
}
