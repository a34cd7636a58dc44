package net.oooops.sigma.plugins.authentication.jose;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How a token may be signed (RFC 7518 section 3, RFC 8037, RFC 9864). There is no {@code none}. */
public enum Algorithm {
    RS256(Kind.RSA, "SHA256withRSA", 0),
    RS384(Kind.RSA, "SHA384withRSA", 0),
    RS512(Kind.RSA, "SHA512withRSA", 0),
    PS256(Kind.PSS, "SHA-256", 32),
    PS384(Kind.PSS, "SHA-384", 48),
    PS512(Kind.PSS, "SHA-512", 64),
    ES256(Kind.EC, "SHA256withECDSAinP1363Format", 64),
    ES384(Kind.EC, "SHA384withECDSAinP1363Format", 96),
    ES512(Kind.EC, "SHA512withECDSAinP1363Format", 132),
    EDDSA(Kind.ED25519, "Ed25519", 64),
    HS256(Kind.SECRET, "HmacSHA256", 32),
    HS384(Kind.SECRET, "HmacSHA384", 48),
    HS512(Kind.SECRET, "HmacSHA512", 64);

    /** What kind of key it takes. */
    public enum Kind {
        RSA,
        PSS,
        EC,
        ED25519,
        SECRET
    }

    private static final Map<String, Algorithm> BY_NAME = Stream.concat(
                    Stream.of(values()).filter(each -> each != EDDSA).map(each -> Map.entry(each.name(), each)),
                    Stream.of(Map.entry("EdDSA", EDDSA), Map.entry("Ed25519", EDDSA)))
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

    private final Kind kind;
    private final String jdkName;
    private final int bytes;

    Algorithm(Kind kind, String jdkName, int bytes) {
        this.kind = kind;
        this.jdkName = jdkName;
        this.bytes = bytes;
    }

    /** The algorithm of that name, letter case included; null where there is none. */
    public static @Nullable Algorithm of(String name) {
        return BY_NAME.get(name);
    }

    public Kind kind() {
        return kind;
    }

    /** The JDK's name of it; of PSS, of its digest. */
    String jdkName() {
        return jdkName;
    }

    /** How many bytes a secret for it has at least (RFC 7518 section 3.2); of EC and Ed25519 those of a signature, of PSS the salt's. */
    public int bytes() {
        return bytes;
    }
}
