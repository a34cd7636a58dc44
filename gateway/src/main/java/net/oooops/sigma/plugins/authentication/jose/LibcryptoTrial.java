package net.oooops.sigma.plugins.authentication.jose;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.EnumSet;

/** Whether the system's libcrypto verifies as it should, before it is trusted: by the example of RFC 7515 appendix A.3. */
final class LibcryptoTrial {
    private static final String X = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";
    private static final String Y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0";
    private static final String SIGNED = "eyJhbGciOiJFUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    private static final String SIGNATURE =
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

    private LibcryptoTrial() {}

    /**
     * Verifies that signature, and the same one of something else.
     *
     * @throws IllegalStateException where something else comes of it
     * @throws LinkageError where it can't be loaded
     */
    static void pass() {
        LibcryptoVerifier verifier;
        try {
            byte[] key = PublicKeys.ofEc("P-256", bytes(X), bytes(Y)).getEncoded();
            verifier = LibcryptoVerifier.tried(key, EnumSet.of(Algorithm.ES256));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no key to try it with", e);
        }
        byte[] signed = SIGNED.getBytes(StandardCharsets.US_ASCII);
        if (verifier == null || !verifier.verify(Algorithm.ES256, signed, bytes(SIGNATURE))) {
            throw new IllegalStateException("it doesn't verify what is signed");
        }
        signed[0]++;
        if (verifier.verify(Algorithm.ES256, signed, bytes(SIGNATURE))) {
            throw new IllegalStateException("it verifies what isn't signed");
        }
    }

    private static byte[] bytes(String base64) {
        return Base64.getUrlDecoder().decode(base64);
    }
}
