package net.oooops.sigma.plugins.authentication.jwt;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Issues tokens as others do, with a library that the plugin doesn't use, and as attackers do, by hand. */
final class Issuer {
    static final String SECRET = "a secret of thirty-two bytes....";

    static final RSAKey RSA = rsa("rsa-1");
    static final RSAKey OTHER_RSA = rsa("rsa-2");
    static final ECKey P256 = ec(Curve.P_256, "ec-256");
    static final ECKey P384 = ec(Curve.P_384, "ec-384");
    static final ECKey P521 = ec(Curve.P_521, "ec-521");

    private Issuer() {}

    private static RSAKey rsa(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ECKey ec(Curve curve, String id) {
        try {
            return new ECKeyGenerator(curve).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A token of these claims, signed in that way by the key that is for it. */
    static String token(String algorithm, String claims) {
        JWSAlgorithm parsed = JWSAlgorithm.parse(algorithm);
        JWSHeader.Builder header = new JWSHeader.Builder(parsed);
        try {
            return switch (algorithm) {
                case "HS256", "HS384", "HS512" -> signed(header.build(), claims, new MACSigner(SECRET.repeat(2)));
                case "ES256" -> signed(header.keyID(P256.getKeyID()).build(), claims, new ECDSASigner(P256));
                case "ES384" -> signed(header.keyID(P384.getKeyID()).build(), claims, new ECDSASigner(P384));
                case "ES512" -> signed(header.keyID(P521.getKeyID()).build(), claims, new ECDSASigner(P521));
                default -> signed(header.keyID(RSA.getKeyID()).build(), claims, new RSASSASigner(RSA));
            };
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A token of these claims by that key, which says that it is by one of that name. */
    static String token(ECKey key, @Nullable String keyId, String claims) throws JOSEException {
        return signed(new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(keyId).build(), claims, new ECDSASigner(key));
    }

    private static String signed(JWSHeader header, String claims, JWSSigner signer) throws JOSEException {
        JWSObject token = new JWSObject(header, new Payload(claims));
        token.sign(signer);
        return token.serialize();
    }

    static String base64(String text) {
        return base64(text.getBytes(UTF_8));
    }

    static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** A token with that head and these claims, whatever they are, signed by {@link #RSA} with RS256. */
    static String byHand(String head, String claims) {
        try {
            return byHand(head, claims, "SHA256withRSA", RSA.toPrivateKey());
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    static String byHand(String head, String claims, String jdkAlgorithm, PrivateKey key) {
        String signed = base64(head) + "." + base64(claims);
        try {
            Signature signer = Signature.getInstance(jdkAlgorithm);
            signer.initSign(key);
            signer.update(signed.getBytes(UTF_8));
            return signed + "." + base64(signer.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
