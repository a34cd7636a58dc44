package net.oooops.sigma.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A script in Lua that {@link Redis} runs in one step. Made once, in a constructor. Immutable, any thread. */
public final class RedisScript {
    private final String text;
    private final String digest;

    private RedisScript(String text, String digest) {
        this.text = text;
        this.digest = digest;
    }

    /** Of that text. */
    public static RedisScript of(String text) {
        try {
            byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return new RedisScript(text, HexFormat.of().formatHex(sha1));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("a JDK without SHA-1", e);
        }
    }

    /** As it is written. */
    public String text() {
        return text;
    }

    /** Its SHA-1, in hexadecimal digits, by which Redis knows it. */
    public String digest() {
        return digest;
    }
}
