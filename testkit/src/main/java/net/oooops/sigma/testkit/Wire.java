package net.oooops.sigma.testkit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Bytes as text, and as a reader of a failed test wants to see them. */
final class Wire {
    private static final int ESCAPE_BELOW = 0x20;
    private static final int ESCAPE_FROM = 0x7F;

    private Wire() {}

    static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is part of every JDK", e);
        }
    }

    /** Ends the digest. */
    static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Control and non-ASCII bytes escaped, with a new line after each line feed. */
    static String show(byte[] bytes) {
        var shown = new StringBuilder(bytes.length + 16);
        for (byte each : bytes) {
            int value = each & 0xFF;
            switch (value) {
                case '\r' -> shown.append("\\r");
                case '\n' -> shown.append("\\n\n");
                case '\t' -> shown.append("\\t");
                default -> {
                    if (value < ESCAPE_BELOW || value >= ESCAPE_FROM) {
                        shown.append("\\x").append(HexFormat.of().toHexDigits(each));
                    } else {
                        shown.append((char) value);
                    }
                }
            }
        }
        return shown.toString();
    }
}
