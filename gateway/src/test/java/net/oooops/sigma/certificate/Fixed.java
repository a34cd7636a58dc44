package net.oooops.sigma.certificate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.Base64;
import java.util.Objects;

/** What stands in {@code src/test/resources/certificates}. */
final class Fixed {
    private Fixed() {}

    /** The text of a file. */
    static String text(String name) {
        try (InputStream in = Objects.requireNonNull(Fixed.class.getResourceAsStream("/certificates/" + name), name)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the lines of a file that aren't dashed are the Base64 of. */
    static byte[] der(String name) {
        StringBuilder body = new StringBuilder();
        text(name).lines().filter(line -> !line.startsWith("-----")).forEach(body::append);
        return Base64.getDecoder().decode(body.toString());
    }

    /** What is private of a key of a curve: it is the same in whatever form the key was written. */
    static BigInteger scalar(KeyedCertificate found) {
        return ((ECPrivateKey) found.key()).getS();
    }

    /** A key of two of Mersenne's primes, {@code 2^p - 1} and {@code 2^q - 1}, which needn't be searched for. */
    static KeyPair rsa(int exponentP, int exponentQ) throws GeneralSecurityException {
        BigInteger one = BigInteger.ONE;
        BigInteger p = one.shiftLeft(exponentP).subtract(one);
        BigInteger q = one.shiftLeft(exponentQ).subtract(one);
        BigInteger modulus = p.multiply(q);
        BigInteger open = BigInteger.valueOf(65537);
        BigInteger secret = open.modInverse(p.subtract(one).multiply(q.subtract(one)));
        KeyFactory factory = KeyFactory.getInstance("RSA");
        return new KeyPair(
                factory.generatePublic(new RSAPublicKeySpec(modulus, open)),
                factory.generatePrivate(new RSAPrivateCrtKeySpec(
                        modulus,
                        open,
                        secret,
                        p,
                        q,
                        secret.mod(p.subtract(one)),
                        secret.mod(q.subtract(one)),
                        q.modInverse(p))));
    }
}
