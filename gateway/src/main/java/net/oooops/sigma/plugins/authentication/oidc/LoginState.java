package net.oooops.sigma.plugins.authentication.oidc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * What a browser carries to the provider and back in {@code state}, sealed: so a login needs no memory here, any gateway with the same secret goes on with
 * it, and as many of them may be under way as a browser has tabs.
 *
 * @param browser what that browser has in a cookie: nobody else's browser ends this login
 * @param verifier of PKCE (RFC 7636 section 4.1)
 * @param nonce that the ID token is to have
 * @param target path and query of what was asked for
 * @param untilMillis when it has taken too long
 */
record LoginState(String browser, String verifier, String nonce, String target, long untilMillis) {
    private static final int VERIFIER_BYTES = 32;
    private static final int NONCE_BYTES = 16;

    /** One that begins. */
    static LoginState begin(String browser, String target, long untilMillis) {
        String verifier = Sealer.text(Sealer.random(VERIFIER_BYTES));
        return new LoginState(browser, verifier, Sealer.text(Sealer.random(NONCE_BYTES)), target, untilMillis);
    }

    /** What the provider is told of the verifier (RFC 7636 section 4.2, S256). */
    String challenge() {
        try {
            return Sealer.text(
                    MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    byte[] toBytes() {
        return new SealedText.Writer()
                .number(untilMillis)
                .text(browser)
                .text(verifier)
                .text(nonce)
                .text(target)
                .toBytes();
    }

    /** What was written so, or null. */
    static @Nullable LoginState of(byte[] bytes) {
        SealedText.Reader from = new SealedText.Reader(bytes);
        try {
            long until = from.number();
            return new LoginState(from.text(), from.text(), from.text(), from.text(), until);
        } catch (IOException e) {
            return null;
        }
    }

    /** Nothing of what is secret. */
    @Override
    public String toString() {
        return "(login)";
    }
}
