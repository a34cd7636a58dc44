package net.oooops.sigma.plugins.authentication.jose;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/** Keys on the curve of ES256K (RFC 8812), which the JDK hasn't: libcrypto alone takes them, and looks whether a point is on it. */
final class Secp256k1 {
    /** Of a SubjectPublicKeyInfo (RFC 5480), up to the point's two numbers. */
    private static final byte[] PREFIX = HexFormat.of().parseHex("3056301006072a8648ce3d020106052b8104000a03420004");

    private static final int NUMBER_BYTES = 32;
    private static final Set<Algorithm> ALGORITHMS = EnumSet.of(Algorithm.ES256K);

    private Secp256k1() {}

    /** Whether a SubjectPublicKeyInfo is one of that curve, with both of the point's numbers. */
    static boolean isKey(byte[] encoded) {
        return encoded.length == PREFIX.length + 2 * NUMBER_BYTES
                && Arrays.equals(encoded, 0, PREFIX.length, PREFIX, 0, PREFIX.length);
    }

    /** The key of that point as SubjectPublicKeyInfo. */
    static byte[] encoded(byte[] x, byte[] y) {
        if (x.length != NUMBER_BYTES || y.length != NUMBER_BYTES) {
            throw new UnfitException("x and y of " + NUMBER_BYTES + " bytes for secp256k1");
        }
        byte[] encoded = Arrays.copyOf(PREFIX, PREFIX.length + 2 * NUMBER_BYTES);
        System.arraycopy(x, 0, encoded, PREFIX.length, NUMBER_BYTES);
        System.arraycopy(y, 0, encoded, PREFIX.length + NUMBER_BYTES, NUMBER_BYTES);
        return encoded;
    }

    /**
     * The key.
     *
     * @param encoded see {@link #isKey}
     * @throws UnfitException where it is none, or nobody here verifies with such keys
     */
    static VerificationKey key(@Nullable String id, byte[] encoded) {
        String whyNot = Libcrypto.whyNot();
        if (whyNot != null) {
            throw new UnfitException(
                    "another curve than secp256k1, which the system's libcrypto alone takes: " + whyNot);
        }
        LibcryptoVerifier verifier = LibcryptoVerifier.tried(encoded, ALGORITHMS);
        if (verifier == null) {
            throw new UnfitException("a key whose point is on its curve, which the system's libcrypto takes");
        }
        return new VerificationKey(id, verifier, ALGORITHMS);
    }
}
