package net.oooops.sigma.certificate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.file.Path;
import java.util.Base64;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import net.oooops.sigma.certificate.CertificateFault.Part;

/**
 * A file whose first line is a key in base64url, as issuers of certificates give it to those who have an account with them (external account
 * binding, RFC 8555 section 7.3.4). No message has anything of the key. Any thread; it blocks.
 */
public final class MacKeyFile {
    /** HS256 takes no shorter one (RFC 7518 section 3.2). */
    private static final int KEY_BYTES_MIN = 32;

    /** As jose4j, of acme4j, calls it. */
    private static final String ALGORITHM = "HMAC";

    private MacKeyFile() {}

    /**
     * Reads it.
     *
     * @throws CertificateFault where it doesn't hold such a key
     */
    public static SecretKey read(Path file) throws CertificateFault {
        String text = new String(CertificateFiles.bytes(file), ISO_8859_1);
        byte[] key = decoded(text.lines().findFirst().orElse("").strip());
        if (key.length < KEY_BYTES_MIN) {
            throw new CertificateFault(
                    Part.KEY,
                    "whose key has " + key.length + " bytes",
                    KEY_BYTES_MIN + " bytes or more, in base64url, as the issuer gives them");
        }
        return new SecretKeySpec(key, ALGORITHM);
    }

    private static byte[] decoded(String line) throws CertificateFault {
        try {
            return Base64.getUrlDecoder().decode(line);
        } catch (IllegalArgumentException e) {
            throw new CertificateFault(
                    Part.KEY, "whose first line isn't base64url", "the key in base64url, as the issuer gives it");
        }
    }
}
