package net.oooops.sigma.plugins.authentication.oidc;

import java.util.Map;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.jose.Json;
import org.jspecify.annotations.Nullable;

/**
 * What a provider says of itself (OpenID Connect Discovery 1.0 section 3).
 *
 * @param authorization where browsers are sent to log in
 * @param token where codes are given for tokens
 * @param keys its JWK Set
 * @param endSession where browsers are sent to log out (RP-Initiated Logout 1.0); null where it has none
 * @param saysIssuer whether what it sends back with a browser says that it is from it (RFC 9207)
 */
record Metadata(
        Url authorization, Url token, Url keys, @Nullable Url endSession, boolean saysIssuer) {
    private static final String WELL_KNOWN = "/.well-known/openid-configuration";

    /** Where that stands, of the provider of that name. */
    static Url placeFor(String issuer) {
        String whole = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        return Url.of(whole + WELL_KNOWN);
    }

    /**
     * Reads it.
     *
     * @throws UnfitException where it can't be used, or is another provider's
     */
    static Metadata of(String issuer, byte[] text) {
        Map<String, Object> read = Json.object(text);
        if (read == null) {
            throw new UnfitException("an object of JSON at " + WELL_KNOWN);
        }
        if (!issuer.equals(read.get("issuer"))) {
            throw new UnfitException("\"issuer\" of " + issuer + " at " + WELL_KNOWN);
        }
        return new Metadata(
                url(read, "authorization_endpoint"),
                url(read, "token_endpoint"),
                url(read, "jwks_uri"),
                endSession(read),
                Boolean.TRUE.equals(read.get("authorization_response_iss_parameter_supported")));
    }

    /** One that can't be used is none: nobody needs it to log in. */
    private static @Nullable Url endSession(Map<String, Object> read) {
        try {
            return url(read, "end_session_endpoint");
        } catch (UnfitException e) {
            return null;
        }
    }

    private static Url url(Map<String, Object> read, String name) {
        if (read.get(name) instanceof String text) {
            try {
                return Url.of(text);
            } catch (UnfitException e) {
                throw new UnfitException("\"" + name + "\": " + e.expected());
            }
        }
        throw new UnfitException("\"" + name + "\" at " + WELL_KNOWN);
    }
}
