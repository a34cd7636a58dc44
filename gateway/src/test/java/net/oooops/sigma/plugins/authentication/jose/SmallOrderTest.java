package net.oooops.sigma.plugins.authentication.jose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.UnfitException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that everybody has. */
class SmallOrderTest {
    private static final String ORDER_8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05";
    private static final String ORDER_8_TOO = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a";
    private static final String IDENTITY = "01" + "00".repeat(31);
    private static final byte[] PEM_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static Map<String, Object> jwk(String curve, byte[] x) {
        return Map.of(
                "kty",
                "OKP",
                "crv",
                curve,
                "x",
                Base64.getUrlEncoder().withoutPadding().encodeToString(x));
    }

    private static String pem(byte[] x) {
        byte[] encoded = Arrays.copyOf(PEM_PREFIX, PEM_PREFIX.length + x.length);
        System.arraycopy(x, 0, encoded, PEM_PREFIX.length, x.length);
        return "-----BEGIN PUBLIC KEY-----\n" + Base64.getEncoder().encodeToString(encoded)
                + "\n-----END PUBLIC KEY-----";
    }

    /** Why: this is a signature of anything by the identity, as its point is the base and its number 1. */
    @Test
    void anybodySignsForTheIdentity() throws Exception {
        PublicKey identity = PublicKeys.ofEdwards("Ed25519", bytes(IDENTITY));
        byte[] forged = bytes("58" + "66".repeat(31) + "01" + "00".repeat(31));
        for (String each : List.of("this", "that")) {
            byte[] signed = each.getBytes(StandardCharsets.US_ASCII);
            assertThat(new JdkVerifier(identity).verify(Algorithm.ED25519, signed, forged))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000000000000000000000000000000000000000000000000000000000000000",
                "0100000000000000000000000000000000000000000000000000000000000000",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                ORDER_8,
                ORDER_8_TOO,
                "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
            })
    void isNoKeyOfEd25519(String hex) {
        byte[] x = bytes(hex);
        for (int sign = 0; sign < 2; sign++) {
            assertThatThrownBy(() -> JwkReader.publicKey(jwk("Ed25519", x))).isInstanceOf(UnfitException.class);
            assertThatThrownBy(() -> PublicKeys.ofPem(pem(x), null)).isInstanceOf(UnfitException.class);
            x[31] ^= (byte) 0x80;
        }
    }

    @Test
    void norOfEd448() {
        byte[] zero = new byte[57];
        byte[] one = zero.clone();
        one[0] = 1;
        byte[] minusOne = bytes("fe" + "ff".repeat(27) + "fe" + "ff".repeat(27) + "00");
        for (byte[] x : List.of(zero, one, minusOne)) {
            for (int sign = 0; sign < 2; sign++) {
                assertThatThrownBy(() -> JwkReader.publicKey(jwk("Ed448", x))).isInstanceOf(UnfitException.class);
                x[56] ^= (byte) 0x80;
            }
        }
    }

    @Test
    void ofASetItIsLeftOut() throws Exception {
        String good = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Arrays.copyOfRange(
                        KeyPairGenerator.getInstance("Ed25519")
                                .generateKeyPair()
                                .getPublic()
                                .getEncoded(),
                        PEM_PREFIX.length,
                        PEM_PREFIX.length + 32));
        String set = "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AQ" + "A".repeat(41)
                + "\"},{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" + good + "\"}]}";
        JwkReader.Found found = JwkReader.set(set, EnumSet.of(Algorithm.ED25519));
        assertThat(found.usable().keys()).hasSize(1);
        assertThat(found.leftOut()).singleElement().asString().startsWith("a key that isn't of small order");
    }
}
