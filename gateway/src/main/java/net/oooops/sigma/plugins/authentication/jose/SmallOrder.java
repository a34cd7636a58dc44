package net.oooops.sigma.plugins.authentication.jose;

import java.math.BigInteger;
import java.security.interfaces.EdECPublicKey;
import java.util.Set;

/**
 * Points of Edwards curves that come to nothing when they are added to themselves a few times: 8 of Ed25519, 4 of Ed448. With one as the public key
 * what is signed falls out of the equation of RFC 8032 (sections 5.1.7 and 5.2.7), or all of it but three bits: then anybody can sign. They are known
 * by {@code y}, modulo the field's prime, since an encoding may have more than that.
 */
final class SmallOrder {
    private static final BigInteger P_25519 = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));
    private static final BigInteger P_448 =
            BigInteger.TWO.pow(448).subtract(BigInteger.TWO.pow(224)).subtract(BigInteger.ONE);

    /** Of two of the four points of order 8, whose doubles have {@code y = 0}: a root of {@code d y^4 + 2 y^2 = 1}. The others have its negative. */
    private static final BigInteger EIGHTH =
            new BigInteger("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16);

    private static final Set<BigInteger> YS_25519 =
            Set.of(BigInteger.ZERO, BigInteger.ONE, P_25519.subtract(BigInteger.ONE), EIGHTH, P_25519.subtract(EIGHTH));
    private static final Set<BigInteger> YS_448 =
            Set.of(BigInteger.ZERO, BigInteger.ONE, P_448.subtract(BigInteger.ONE));

    private SmallOrder() {}

    /** Whether that key is such a point. */
    static boolean isOf(EdECPublicKey key) {
        BigInteger y = key.getPoint().getY();
        return key.getParams().getName().equals("Ed25519")
                ? YS_25519.contains(y.mod(P_25519))
                : YS_448.contains(y.mod(P_448));
    }
}
