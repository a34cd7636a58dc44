package net.oooops.sigma.session;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, as {@code GeneratedBody.sha256} writes it. */
final class Hash {
    private Hash() {}

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    static String of(byte[] bytes) {
        MessageDigest digest = digest();
        digest.update(bytes);
        return hex(digest);
    }
}
