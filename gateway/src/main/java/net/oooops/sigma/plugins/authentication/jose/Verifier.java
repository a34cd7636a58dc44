package net.oooops.sigma.plugins.authentication.jose;

import java.security.PublicKey;
import javax.crypto.SecretKey;

/** Verifies signatures with a key that it has. Safe for use from any thread. */
public sealed interface Verifier permits JdkVerifier, LibcryptoVerifier {
    /** By the system's libcrypto where that can be had and takes such a key; else by the JDK. */
    static Verifier of(PublicKey key) {
        Verifier verifier = LibcryptoVerifier.of(key);
        return verifier == null ? new JdkVerifier(key) : verifier;
    }

    /** By the JDK. */
    static Verifier of(SecretKey secret) {
        return new JdkVerifier(secret);
    }

    /** Whether that is the signature of these bytes. */
    boolean verify(Algorithm algorithm, byte[] signed, byte[] signature);

    /** Whether verifying one takes longer than an event loop should: a large part of a millisecond, or several. */
    boolean takesLong(Algorithm algorithm);
}
