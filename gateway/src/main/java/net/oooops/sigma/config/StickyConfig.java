package net.oooops.sigma.config;

import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * The cookie that keeps a client at its node (RFC 6265).
 *
 * @param name of the cookie
 * @param path its Path
 * @param maxAgeSeconds its Max-Age, at least 1; or {@link #SESSION}
 * @param secure whether it has Secure
 * @param httpOnly whether it has HttpOnly
 * @param sameSite its SameSite
 * @param key what it is signed with; null where a key of this process is to be used
 */
public record StickyConfig(
        String name,
        String path,
        long maxAgeSeconds,
        Secure secure,
        boolean httpOnly,
        SameSite sameSite,
        @Nullable SecretKey key) {

    /** A {@link #maxAgeSeconds} of a cookie without one: it lasts as long as the browser runs. */
    public static final long SESSION = 0;

    static final String NAME_DEFAULT = "sigma-node";
    /** An algorithm of javax.crypto.Mac. */
    static final String ALGORITHM = "HmacSHA256";

    /** When the cookie has Secure: browsers then send it back over https only. */
    public enum Secure {
        /** Where the client came over https. */
        AUTO,
        ALWAYS,
        NEVER
    }

    /** With which requests that another site began browsers send the cookie back. */
    public enum SameSite {
        STRICT,
        LAX,
        NONE
    }
}
