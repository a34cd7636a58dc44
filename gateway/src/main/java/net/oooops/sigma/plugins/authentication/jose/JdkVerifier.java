package net.oooops.sigma.plugins.authentication.jose;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import javax.crypto.Mac;
import net.oooops.sigma.plugins.authentication.jose.Algorithm.Kind;

/** Signatures verified by the JDK. */
record JdkVerifier(Key key) implements Verifier {
    @Override
    public boolean verify(Algorithm algorithm, byte[] signed, byte[] signature) {
        try {
            return switch (algorithm.kind()) {
                case SECRET -> {
                    Mac mac = Mac.getInstance(algorithm.jdkName());
                    mac.init(key);
                    yield MessageDigest.isEqual(mac.doFinal(signed), signature);
                }
                case EC, EDWARDS ->
                    signature.length == algorithm.bytes()
                            && verify(Signature.getInstance(algorithm.jdkName()), signed, signature);
                case RSA -> verify(Signature.getInstance(algorithm.jdkName()), signed, signature);
                case PSS -> {
                    String digest = algorithm.jdkName();
                    Signature pss = Signature.getInstance("RSASSA-PSS");
                    pss.setParameter(
                            new PSSParameterSpec(digest, "MGF1", new MGF1ParameterSpec(digest), algorithm.bytes(), 1));
                    yield verify(pss, signed, signature);
                }
            };
        } catch (SignatureException | InvalidKeyException e) {
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean verify(Signature verifier, byte[] signed, byte[] signature)
            throws SignatureException, InvalidKeyException {
        verifier.initVerify((PublicKey) key);
        verifier.update(signed);
        return verifier.verify(signature);
    }

    @Override
    public boolean takesLong(Algorithm algorithm) {
        return algorithm.kind() == Kind.EC || algorithm.kind() == Kind.EDWARDS;
    }
}
