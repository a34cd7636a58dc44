package net.oooops.sigma.plugins.authentication.oidc;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.Field;

/**
 * What Sigma is at the provider: a client of its, and what it asks for as such.
 *
 * @param secret empty where it has none
 * @param callback where the provider sends browsers back to
 * @param parameters of the request to log in, beside those of the protocol
 */
record Client(String id, String secret, Proof proof, Url callback, String scope, Map<String, String> parameters) {
    /** Answers of the token endpoint are tokens: larger ones fit no cookie, and hardly a field. */
    private static final int ANSWER_BYTES_MAX = 64 << 10;

    /** How Sigma shows who it is (OpenID Connect Core 1.0 section 9). */
    enum Proof {
        /** In the field Authorization. */
        BASIC,
        /** In the body. */
        POST,
        /** Not at all: PKCE alone says that it is who asked. */
        NONE
    }

    Client {
        parameters = Map.copyOf(parameters);
    }

    /** Where a browser is sent to log in. */
    String loginUrl(Metadata provider, String state, String nonce, String challenge) {
        FormText query = new FormText()
                .add("response_type", "code")
                .add("client_id", id)
                .add("redirect_uri", callback.toString())
                .add("scope", scope)
                .add("state", state)
                .add("nonce", nonce)
                .add("code_challenge", challenge)
                .add("code_challenge_method", "S256");
        parameters.forEach(query::add);
        return withQuery(provider.authorization(), query);
    }

    /** That URL with these parameters, behind those that it has. */
    static String withQuery(Url url, FormText query) {
        return url + (url.query().isEmpty() ? "?" : "&") + query;
    }

    /** Asks for tokens for a code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). */
    Callout tokensFor(Metadata provider, String code, String verifier) {
        return asked(
                provider.token(),
                new FormText()
                        .add("grant_type", "authorization_code")
                        .add("code", code)
                        .add("redirect_uri", callback.toString())
                        .add("code_verifier", verifier));
    }

    /** Asks for tokens in the place of those before (RFC 6749 section 6). */
    Callout freshTokens(Metadata provider, String refreshToken) {
        return asked(
                provider.token(),
                new FormText().add("grant_type", "refresh_token").add("refresh_token", refreshToken));
    }

    private Callout asked(Url token, FormText form) {
        List<Field> fields = new ArrayList<>();
        fields.add(Field.of("Accept", "application/json"));
        fields.add(Field.of("Content-Type", "application/x-www-form-urlencoded"));
        if (proof == Proof.BASIC) {
            String both = FormText.encoded(id) + ":" + FormText.encoded(secret);
            String encoded = Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
            fields.add(Field.of("Authorization", "Basic " + encoded));
        } else {
            form.add("client_id", id);
        }
        if (proof == Proof.POST) {
            form.add("client_secret", secret);
        }
        return Callout.of("POST", token.target())
                .with(fields)
                .body(form.toString().getBytes(StandardCharsets.US_ASCII))
                .answerBytesMax(ANSWER_BYTES_MAX);
    }

    /** Nothing of what is secret. */
    @Override
    public String toString() {
        return id;
    }
}
