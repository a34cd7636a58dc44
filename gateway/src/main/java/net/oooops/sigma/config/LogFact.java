package net.oooops.sigma.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a line of the access log may tell, by the name that it has in a format of one's own. What the plugin {@code headers} has in its templates has the
 * same name there.
 */
public enum LogFact {
    ATTEMPTS,
    BYTES,
    CLIENT_ADDRESS,
    CONSUMER,
    DETAIL,
    DURATION_MS,
    FLAG,
    HOST,
    LISTENER,
    LOCAL_TIME,
    METHOD,
    NODE,
    NODE_TIME_MS,
    PATH,
    PEER_ADDRESS,
    PROTOCOL,
    QUERY,
    REASON,
    REQUEST_ID,
    REQUEST_LINE,
    ROUTE,
    ROUTER,
    SCHEME,
    STATUS,
    TARGET,
    TIME,
    TLS_HOST,
    TLS_VERSION,
    UPSTREAM,
    /** A field of the request, whose name stands behind a colon. */
    HEADER,
    /** A value of the Route's metadata, whose key stands behind a colon. */
    METADATA;

    private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** As it is written; of those with a parameter, what stands before the colon. */
    String word() {
        return word;
    }

    boolean hasParameter() {
        return this == HEADER || this == METADATA;
    }

    /** The one that is written so; null where there is none. */
    static @Nullable LogFact of(String word) {
        for (LogFact each : values()) {
            if (each.word.equals(word)) {
                return each;
            }
        }
        return null;
    }
}
