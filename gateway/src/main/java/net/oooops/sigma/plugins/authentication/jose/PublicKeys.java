package net.oooops.sigma.plugins.authentication.jose;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/** Makes public keys of what they are written as, and says which algorithms are theirs. */
public final class PublicKeys {
    private static final int RSA_BITS_MIN = 2_048;
    private static final int RSA_BITS_MAX = 8_192;
    private static final byte[] ED25519_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");
    private static final byte[] ED448_PREFIX = HexFormat.of().parseHex("3043300506032b6571033a00");
    private static final String KINDS =
            "RSA, of EC on P-256, P-384, P-521 or secp256k1 (not compressed), or of Ed25519 or Ed448";

    private PublicKeys() {}

    /** One in PEM, a key or a certificate, of which nothing else is looked at. */
    public static VerificationKey ofPem(String text, @Nullable String id) {
        String trimmed = text.strip();
        try {
            if (trimmed.startsWith("-----BEGIN CERTIFICATE-----")) {
                byte[] bytes = trimmed.getBytes(StandardCharsets.ISO_8859_1);
                return key(
                        id,
                        CertificateFactory.getInstance("X.509")
                                .generateCertificate(new ByteArrayInputStream(bytes))
                                .getPublicKey());
            }
            String begin = "-----BEGIN PUBLIC KEY-----";
            String end = "-----END PUBLIC KEY-----";
            if (!trimmed.startsWith(begin) || !trimmed.endsWith(end)) {
                throw new UnfitException("a public key (-----BEGIN PUBLIC KEY-----) or a certificate in PEM");
            }
            byte[] encoded =
                    Base64.getMimeDecoder().decode(trimmed.substring(begin.length(), trimmed.length() - end.length()));
            return Secp256k1.isKey(encoded) ? Secp256k1.key(id, encoded) : key(id, ofEncoded(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw e instanceof UnfitException unfit
                    ? unfit
                    : new UnfitException("a public key or a certificate in PEM");
        }
    }

    /**
     * A key for all algorithms that are for it.
     *
     * @throws UnfitException where there is none: it is too short, not on its curve, or of small order
     */
    static VerificationKey key(@Nullable String id, PublicKey key) {
        Set<Algorithm> algorithms = algorithms(key);
        return new VerificationKey(id, Verifier.of(key), algorithms);
    }

    private static PublicKey ofEncoded(byte[] encoded) throws GeneralSecurityException {
        for (String kind : List.of("RSA", "EC", "Ed25519", "Ed448")) {
            try {
                return KeyFactory.getInstance(kind).generatePublic(new X509EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException e) {
                // Of another kind.
            }
        }
        throw new UnfitException("a public key of " + KINDS);
    }

    public static PublicKey ofRsa(byte[] modulus, byte[] exponent) throws GeneralSecurityException {
        RSAPublicKeySpec spec = new RSAPublicKeySpec(new BigInteger(1, modulus), new BigInteger(1, exponent));
        return KeyFactory.getInstance("RSA").generatePublic(spec);
    }

    public static PublicKey ofEc(String curve, byte[] x, byte[] y) throws GeneralSecurityException {
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(
                switch (curve) {
                    case "P-256" -> "secp256r1";
                    case "P-384" -> "secp384r1";
                    case "P-521" -> "secp521r1";
                    default -> throw new UnfitException("a curve of P-256, P-384, P-521 or secp256k1");
                }));
        ECParameterSpec spec = parameters.getParameterSpec(ECParameterSpec.class);
        ECPoint point = new ECPoint(new BigInteger(1, x), new BigInteger(1, y));
        return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, spec));
    }

    public static PublicKey ofEdwards(String curve, byte[] x) throws GeneralSecurityException {
        return switch (curve) {
            case "Ed25519" -> ofEdwards(curve, ED25519_PREFIX, x, 32);
            case "Ed448" -> ofEdwards(curve, ED448_PREFIX, x, 57);
            default -> throw new UnfitException("crv of Ed25519 or Ed448");
        };
    }

    private static PublicKey ofEdwards(String curve, byte[] prefix, byte[] x, int bytes)
            throws GeneralSecurityException {
        if (x.length != bytes) {
            throw new UnfitException(bytes + " bytes of " + curve);
        }
        byte[] encoded = Arrays.copyOf(prefix, prefix.length + bytes);
        System.arraycopy(x, 0, encoded, prefix.length, bytes);
        return KeyFactory.getInstance(curve).generatePublic(new X509EncodedKeySpec(encoded));
    }

    /**
     * The algorithms that are for that key.
     *
     * @throws UnfitException where there is none: it is too short, not on its curve, or of small order
     */
    public static Set<Algorithm> algorithms(PublicKey key) {
        return switch (key) {
            case RSAPublicKey rsa -> {
                int bits = rsa.getModulus().bitLength();
                if (bits < RSA_BITS_MIN
                        || bits > RSA_BITS_MAX
                        || rsa.getPublicExponent().bitLength() > 32) {
                    throw new UnfitException("an RSA key of " + RSA_BITS_MIN + " to " + RSA_BITS_MAX
                            + " bits, with an exponent of 32 at most");
                }
                yield EnumSet.range(Algorithm.RS256, Algorithm.PS512);
            }
            case ECPublicKey ec -> EnumSet.of(ofCurve(ec));
            case EdECPublicKey edwards -> {
                if (SmallOrder.isOf(edwards)) {
                    throw new UnfitException("a key that isn't of small order, for which anybody can sign");
                }
                yield Algorithm.named(edwards.getParams().getName());
            }
            default -> throw new UnfitException("a key of " + KINDS);
        };
    }

    private static Algorithm ofCurve(ECPublicKey key) {
        ECParameterSpec spec = key.getParams();
        if (!(spec.getCurve().getField() instanceof ECFieldFp field) || !isOnCurve(key.getW(), spec, field.getP())) {
            throw new UnfitException("a key whose point is on its curve");
        }
        return switch (field.getFieldSize()) {
            case 256 -> Algorithm.ES256;
            case 384 -> Algorithm.ES384;
            case 521 -> Algorithm.ES512;
            default -> throw new UnfitException("a curve of P-256, P-384 or P-521");
        };
    }

    private static boolean isOnCurve(ECPoint point, ECParameterSpec spec, BigInteger p) {
        if (point.equals(ECPoint.POINT_INFINITY)
                || point.getAffineX().compareTo(p) >= 0
                || point.getAffineY().compareTo(p) >= 0) {
            return false;
        }
        BigInteger x = point.getAffineX();
        BigInteger right = x.pow(3)
                .add(spec.getCurve().getA().multiply(x))
                .add(spec.getCurve().getB());
        return point.getAffineY().pow(2).mod(p).equals(right.mod(p));
    }
}
