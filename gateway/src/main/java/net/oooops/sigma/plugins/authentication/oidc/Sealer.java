package net.oooops.sigma.plugins.authentication.oidc;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import net.oooops.sigma.plugins.authentication.jose.Token.Base64Url;
import org.jspecify.annotations.Nullable;

/**
 * Seals what browsers keep, so that they can neither read nor change it: AES-256 in GCM with a random nonce, keys made of secrets by HKDF (RFC 5869). What
 * it is for, and for whom, is a part of it: one is not taken for the other. A key is good for some 2<sup>32</sup> texts.
 *
 * <p>Immutable, safe for use from any thread.
 */
final class Sealer {
    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int LEAST_BYTES = NONCE_BYTES + TAG_BITS / 8;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** One for each thread: making them costs more than sealing. */
    private static final ThreadLocal<Cipher> CIPHER = ThreadLocal.withInitial(Sealer::cipher);

    private final List<SecretKey> keys;
    private final byte[] purpose;

    /**
     * Seals and opens for that purpose.
     *
     * @param secrets of which the first one seals, and all open
     */
    Sealer(List<String> secrets, String purpose) {
        this.purpose = purpose.getBytes(StandardCharsets.UTF_8);
        this.keys = secrets.stream().map(Sealer::key).toList();
    }

    private static SecretKey key(String secret) {
        try {
            return KDF.getInstance("HKDF-SHA256")
                    .deriveKey(
                            "AES",
                            HKDFParameterSpec.ofExtract()
                                    .addIKM(secret.getBytes(StandardCharsets.UTF_8))
                                    .thenExpand("sigma oidc".getBytes(StandardCharsets.US_ASCII), 32));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Cipher cipher() {
        try {
            return Cipher.getInstance(ALGORITHM);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Random bytes that nobody guesses. */
    static byte[] random(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** Base64 for URLs, without padding. */
    static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** These bytes, sealed, as a text that may stand in a cookie or in a URL. */
    String seal(byte[] plain) {
        byte[] nonce = random(NONCE_BYTES);
        try {
            Cipher cipher = begun(Cipher.ENCRYPT_MODE, keys.getFirst(), nonce, 0);
            byte[] sealed = new byte[NONCE_BYTES + cipher.getOutputSize(plain.length)];
            System.arraycopy(nonce, 0, sealed, 0, NONCE_BYTES);
            cipher.doFinal(plain, 0, plain.length, sealed, NONCE_BYTES);
            return text(sealed);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What was sealed; null where that text wasn't sealed by these secrets for this purpose. */
    byte @Nullable [] open(String text) {
        byte[] sealed = Base64Url.decoded(text);
        if (sealed == null || sealed.length < LEAST_BYTES) {
            return null;
        }
        for (SecretKey key : keys) {
            try {
                return begun(Cipher.DECRYPT_MODE, key, sealed, 0)
                        .doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES);
            } catch (AEADBadTagException e) {
                // By another one, or by nobody.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
        return null;
    }

    private Cipher begun(int mode, SecretKey key, byte[] nonce, int at) throws GeneralSecurityException {
        Cipher cipher = CIPHER.get();
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce, at, NONCE_BYTES));
        cipher.updateAAD(purpose);
        return cipher;
    }
}
