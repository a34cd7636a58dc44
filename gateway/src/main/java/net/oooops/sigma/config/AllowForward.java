package net.oooops.sigma.config;

import java.util.Locale;

/** Which forwarding headers of a trusted client are believed and extended, rather than deleted and written anew. */
public enum AllowForward {
    NONE,
    /** {@code X-Forwarded-*}. */
    X_FORWARD,
    /** {@code Forwarded} (RFC 7239). */
    FORWARD,
    ALL;

    /** The one of this word, as sigma.json or 0.1.0 spells it; none where there is no such word. */
    static AllowForward of(String word) {
        for (AllowForward each : values()) {
            if (each.name().equals(word.toUpperCase(Locale.ROOT).replace('-', '_'))) {
                return each;
            }
        }
        return NONE;
    }
}
