package net.oooops.sigma.plugins.authentication.oidc;

import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.plugins.authentication.jose.Json;
import net.oooops.sigma.plugins.authentication.oidc.ProviderException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * What a provider gives (RFC 6749 section 5.1).
 *
 * @param identity the ID token; null where it gives none
 * @param access the access token
 * @param refresh with which others are asked for; null where it gives none
 * @param seconds for which the access token is good; 0 where it doesn't say
 */
record Tokens(
        @Nullable String identity, String access, @Nullable String refresh, long seconds) {
    private static final long SECONDS_MAX = 366L * 24 * 3600;

    /** Errors that are the user's, not Sigma's (RFC 6749 section 5.2). */
    private static final Set<String> OF_THE_GRANT = Set.of("invalid_grant", "access_denied", "interaction_required");

    /**
     * Reads an answer.
     *
     * @throws ProviderException where it gives none
     */
    static Tokens of(Response answer) {
        byte[] body = new byte[answer.bodyBytes()];
        answer.copyBodyTo(body, 0);
        Map<String, Object> read = Json.object(body);
        if (answer.status() == 400 && read != null && OF_THE_GRANT.contains(text(read, "error"))) {
            throw new ProviderException(Kind.REFUSED, text(read, "error"));
        }
        if (answer.status() != 200) {
            throw ProviderException.unavailable("its token endpoint answers " + answer.status()
                    + (read == null ? "" : " (error: " + printable(text(read, "error")) + ")"));
        }
        if (read == null
                || text(read, "access_token").isEmpty()
                || !"Bearer".equalsIgnoreCase(text(read, "token_type"))) {
            throw ProviderException.unavailable("its token endpoint answers 200 without a bearer token");
        }
        long seconds = read.get("expires_in") instanceof Number number ? number.longValue() : 0;
        return new Tokens(
                given(read, "id_token"),
                text(read, "access_token"),
                given(read, "refresh_token"),
                Math.clamp(seconds, 0, SECONDS_MAX));
    }

    private static String text(Map<String, Object> read, String name) {
        return read.get(name) instanceof String text ? text : "";
    }

    private static @Nullable String given(Map<String, Object> read, String name) {
        return read.get(name) instanceof String text && !text.isEmpty() ? text : null;
    }

    /** For a line of the log. */
    private static String printable(String text) {
        String plain = text.replaceAll("[^ -~]", "?");
        return plain.substring(0, Math.min(plain.length(), 100));
    }

    /** Nothing of what is secret. */
    @Override
    public String toString() {
        return "(tokens)";
    }
}
