package net.oooops.sigma.plugins.authentication.jose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.jose.Algorithm.Kind;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.ParametersWithRandom;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.math.ec.ECPoint;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The system's libcrypto says of each signature what the JDK says. */
class VerifierTest {
    private static final byte[] SIGNED = "what is signed".getBytes(StandardCharsets.US_ASCII);
    private static final Map<Kind, KeyPair> PAIRS = new EnumMap<>(Kind.class);

    @BeforeAll
    static void isThere() throws GeneralSecurityException {
        Needed.here(Libcrypto.whyNot() == null, "the system's libcrypto (Debian: libssl3)");
        KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA");
        rsa.initialize(2_048);
        PAIRS.put(Kind.RSA, rsa.generateKeyPair());
        PAIRS.put(Kind.PSS, Objects.requireNonNull(PAIRS.get(Kind.RSA)));
    }

    private static KeyPair pair(Algorithm algorithm) throws GeneralSecurityException {
        if (algorithm.kind() == Kind.EDWARDS) {
            return KeyPairGenerator.getInstance(algorithm.jdkName()).generateKeyPair();
        }
        if (algorithm.kind() != Kind.EC) {
            return Objects.requireNonNull(PAIRS.get(algorithm.kind()));
        }
        KeyPairGenerator curve = KeyPairGenerator.getInstance("EC");
        curve.initialize(new ECGenParameterSpec(
                switch (algorithm) {
                    case ES256 -> "secp256r1";
                    case ES384 -> "secp384r1";
                    default -> "secp521r1";
                }));
        return curve.generateKeyPair();
    }

    private static byte[] sign(Algorithm algorithm, PrivateKey key) throws GeneralSecurityException {
        boolean isPss = algorithm.kind() == Kind.PSS;
        Signature signer = Signature.getInstance(isPss ? "RSASSA-PSS" : algorithm.jdkName());
        if (isPss) {
            MGF1ParameterSpec mask = new MGF1ParameterSpec(algorithm.jdkName());
            signer.setParameter(new PSSParameterSpec(algorithm.jdkName(), "MGF1", mask, algorithm.bytes(), 1));
        }
        signer.initSign(key);
        signer.update(SIGNED);
        return signer.sign();
    }

    private static LibcryptoVerifier libcrypto(KeyPair pair) {
        return Objects.requireNonNull(
                LibcryptoVerifier.tried(pair.getPublic().getEncoded(), PublicKeys.algorithms(pair.getPublic())));
    }

    @ParameterizedTest
    @EnumSource(
            names = {"HS256", "HS384", "HS512", "ES256K"},
            mode = Mode.EXCLUDE)
    void saysWhatTheJdkSays(Algorithm algorithm) throws GeneralSecurityException {
        KeyPair pair = pair(algorithm);
        LibcryptoVerifier libcrypto = libcrypto(pair);
        JdkVerifier jdk = new JdkVerifier(pair.getPublic());
        byte[] signature = sign(algorithm, pair.getPrivate());
        assertThat(libcrypto.verify(algorithm, SIGNED, signature)).isTrue();
        assertThat(jdk.verify(algorithm, SIGNED, signature)).isTrue();
        Random random = new Random(7_515);
        for (int i = 0; i < 100; i++) {
            byte[] other = altered(signature, random, i);
            byte[] what = i % 3 == 0 ? Arrays.copyOf(SIGNED, random.nextInt(SIGNED.length)) : SIGNED;
            assertThat(libcrypto.verify(algorithm, what, other))
                    .isEqualTo(jdk.verify(algorithm, what, other))
                    .isFalse();
        }
    }

    /** Another one, at most 8 bytes longer. */
    private static byte[] altered(byte[] signature, Random random, int way) {
        byte[] other = signature.clone();
        switch (way % 4) {
            case 0 -> other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> other = Arrays.copyOf(other, random.nextInt(other.length));
            case 2 -> other = Arrays.copyOf(other, other.length + 1 + random.nextInt(8));
            default -> random.nextBytes(other);
        }
        return other;
    }

    /** Numbers that no signature has: 0, the order of the curve, and all that is above (CVE-2022-21449 took 0). */
    @ParameterizedTest
    @EnumSource(names = {"ES256", "ES384", "ES512"})
    void numbersOutOfRangeAreNoSignature(Algorithm algorithm) throws GeneralSecurityException {
        KeyPair pair = pair(algorithm);
        LibcryptoVerifier libcrypto = libcrypto(pair);
        JdkVerifier jdk = new JdkVerifier(pair.getPublic());
        int half = algorithm.bytes() / 2;
        BigInteger order = ((ECPublicKey) pair.getPublic()).getParams().getOrder();
        BigInteger most = BigInteger.ONE.shiftLeft(8 * half).subtract(BigInteger.ONE);
        byte[] real = sign(algorithm, pair.getPrivate());
        BigInteger r = new BigInteger(1, Arrays.copyOf(real, half));
        BigInteger s = new BigInteger(1, Arrays.copyOfRange(real, half, 2 * half));
        List<byte[]> all = new ArrayList<>();
        for (BigInteger each : List.of(BigInteger.ZERO, BigInteger.ONE, order, most)) {
            all.add(both(each, each, half));
            all.add(both(each, s, half));
            all.add(both(r, each, half));
        }
        for (byte[] each : all) {
            assertThat(libcrypto.verify(algorithm, SIGNED, each)).isFalse();
            assertThat(jdk.verify(algorithm, SIGNED, each)).isFalse();
        }
        // What is negative has a 0 in front of it in DER, and what begins with zeros has none of them.
        int zeros = 0;
        for (int i = 0; i < 600 && zeros < 2; i++) {
            byte[] signature = sign(algorithm, pair.getPrivate());
            zeros += signature[0] == 0 ? 1 : 0;
            assertThat(libcrypto.verify(algorithm, SIGNED, signature)).isTrue();
        }
    }

    private static byte[] both(BigInteger r, BigInteger s, int half) {
        byte[] both = new byte[2 * half];
        put(r, both, half);
        put(s, both, 2 * half);
        return both;
    }

    private static void put(BigInteger number, byte[] to, int end) {
        byte[] bytes = number.toByteArray();
        int from = bytes[0] == 0 ? 1 : 0;
        System.arraycopy(bytes, from, to, end - (bytes.length - from), bytes.length - from);
    }

    /** The JDK hasn't its curve; Bouncy Castle has, and signs here. */
    @Test
    void verifiesByTheCurveThatTheJdkHasNot() {
        X9ECParameters curve = CustomNamedCurves.getByName("secp256k1");
        ECDomainParameters domain = new ECDomainParameters(curve.getCurve(), curve.getG(), curve.getN(), curve.getH());
        BigInteger secret = new BigInteger("8".repeat(60));
        ECPoint point = domain.getG().multiply(secret).normalize();
        byte[] x = point.getAffineXCoord().getEncoded();
        byte[] y = point.getAffineYCoord().getEncoded();
        ECDSASigner signer = new ECDSASigner();
        signer.init(true, new ParametersWithRandom(new ECPrivateKeyParameters(secret, domain)));
        SHA256Digest digest = new SHA256Digest();
        digest.update(SIGNED, 0, SIGNED.length);
        byte[] hash = new byte[32];
        digest.doFinal(hash, 0);
        BigInteger[] numbers = signer.generateSignature(hash);
        byte[] signature = both(numbers[0], numbers[1], 32);
        String encoded = Base64.getMimeEncoder().encodeToString(Secp256k1.encoded(x, y));
        VerificationKey ofPem =
                PublicKeys.ofPem("-----BEGIN PUBLIC KEY-----\n" + encoded + "\n-----END PUBLIC KEY-----", null);
        Map<String, String> jwk = Map.of("kty", "EC", "crv", "secp256k1", "x", base64(x), "y", base64(y));
        for (VerificationKey key : List.of(ofPem, JwkReader.publicKey(jwk))) {
            assertThat(key.algorithms()).containsExactly(Algorithm.ES256K);
            assertThat(key.verifier().verify(Algorithm.ES256K, SIGNED, signature))
                    .isTrue();
            signature[40] ^= 1;
            assertThat(key.verifier().verify(Algorithm.ES256K, SIGNED, signature))
                    .isFalse();
            signature[40] ^= 1;
        }
        x[31] ^= 1;
        assertThatThrownBy(() -> Secp256k1.key(null, Secp256k1.encoded(x, y)))
                .isInstanceOf(UnfitException.class)
                .hasMessageContaining("on its curve");
        assertThatThrownBy(() -> Secp256k1.encoded(new byte[31], y)).isInstanceOf(UnfitException.class);
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Test
    void manyThreadsVerifyWithOneKey() throws Exception {
        KeyPair pair = pair(Algorithm.ES256);
        LibcryptoVerifier libcrypto = libcrypto(pair);
        byte[] signature = sign(Algorithm.ES256, pair.getPrivate());
        byte[] other = signature.clone();
        other[40] ^= 1;
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            Callable<Boolean> work = () -> {
                boolean right = true;
                for (int i = 0; i < 200; i++) {
                    right &= libcrypto.verify(Algorithm.ES256, SIGNED, signature)
                            && !libcrypto.verify(Algorithm.ES256, SIGNED, other);
                }
                return right;
            };
            for (Future<Boolean> each : threads.invokeAll(Collections.nCopies(8, work))) {
                assertThat(each.get()).isTrue();
            }
        }
    }

    @Test
    void whatItDoesNotTakeIsLeftToTheJdk() throws GeneralSecurityException {
        byte[] edwards = pair(Algorithm.ED25519).getPublic().getEncoded();
        assertThat(LibcryptoVerifier.tried(edwards, EnumSet.of(Algorithm.RS256)))
                .as("an algorithm that isn't for it")
                .isNull();
        assertThat(Libcrypto.key(new byte[] {1, 2, 3})).isNull();
        KeyPair curve = pair(Algorithm.ES256);
        assertThat(Verifier.of(curve.getPublic())).isInstanceOf(LibcryptoVerifier.class);
    }
}
