package net.oooops.sigma.plugins.authentication.jose;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How a token may be signed (RFC 7518 section 3, RFC 8037, RFC 8812, RFC 9864). There is no {@code none}. */
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
    /** On secp256k1, which the JDK hasn't. */
    ES256K(Kind.EC, "", 64),
    ED25519(Kind.EDWARDS, "Ed25519", 64),
    ED448(Kind.EDWARDS, "Ed448", 114),
    HS256(Kind.SECRET, "HmacSHA256", 32),
    HS384(Kind.SECRET, "HmacSHA384", 48),
    HS512(Kind.SECRET, "HmacSHA512", 64);

    /** What kind of key it takes. */
    public enum Kind {
        RSA,
        PSS,
        EC,
        EDWARDS,
        SECRET
    }

    private static final Map<String, Algorithm> BY_NAME =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Algorithm::toString, Function.identity()));

    private final Kind kind;
    private final String jdkName;
    private final int bytes;

    Algorithm(Kind kind, String jdkName, int bytes) {
        this.kind = kind;
        this.jdkName = jdkName;
        this.bytes = bytes;
    }

    /**
     * The algorithms of that name, letter case included: none, or one, or with {@code EdDSA} one for each curve, which a signature shows by its length.
     */
    public static Set<Algorithm> named(String name) {
        if (name.equals("EdDSA")) {
            return EnumSet.of(ED25519, ED448);
        }
        Algorithm one = BY_NAME.get(name);
        return one == null ? EnumSet.noneOf(Algorithm.class) : EnumSet.of(one);
    }

    /** Those by public keys. */
    public static Set<Algorithm> ofPublicKeys() {
        return EnumSet.complementOf(EnumSet.of(HS256, HS384, HS512));
    }

    public Kind kind() {
        return kind;
    }

    /** The JDK's name of it; of PSS, of its digest; empty where it has none. */
    String jdkName() {
        return jdkName;
    }

    /** How many bytes a secret for it has at least (RFC 7518 section 3.2); of curves those of a signature, of PSS the salt's. */
    public int bytes() {
        return bytes;
    }

    /** Its name in tokens. */
    @Override
    public String toString() {
        return kind == Kind.EDWARDS ? jdkName : name();
    }
}
