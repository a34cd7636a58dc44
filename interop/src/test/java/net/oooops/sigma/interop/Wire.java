package net.oooops.sigma.interop;

import java.util.Locale;

/** How a client speaks to the gateway. */
enum Wire {
    HTTP1,
    HTTP1_TLS,
    /** HTTP/2 without TLS, by prior knowledge (RFC 9113 section 3.3). */
    H2C,
    /** HTTP/2 over TLS, by ALPN (RFC 9113 section 3.2). */
    H2_TLS;

    boolean isEncrypted() {
        return this == HTTP1_TLS || this == H2_TLS;
    }

    /** As the scripts know it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
