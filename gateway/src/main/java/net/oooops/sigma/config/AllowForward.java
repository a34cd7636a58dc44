package net.oooops.sigma.config;

/** Which forwarding headers of a trusted client are believed and extended, rather than deleted and written anew. */
public enum AllowForward {
    NONE,
    /** {@code X-Forwarded-*}. */
    X_FORWARD,
    /** {@code Forwarded} (RFC 7239). */
    FORWARD,
    ALL
}
