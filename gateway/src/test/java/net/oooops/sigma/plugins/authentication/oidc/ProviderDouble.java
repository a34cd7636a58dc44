package net.oooops.sigma.plugins.authentication.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;

/** Stands where a provider stands, and does what a test wants of it. Its tokens are signed by a library that the plugin doesn't use. */
final class ProviderDouble implements AutoCloseable {
    static final RSAKey KEY = key("one");
    static final RSAKey OTHER_KEY = key("two");

    private final ScriptedUpstream server = ScriptedUpstream.start(this::answer);
    final List<ReceivedRequest> tokenRequests = new CopyOnWriteArrayList<>();
    final List<ReceivedRequest> otherRequests = new CopyOnWriteArrayList<>();

    volatile Discovery discovery = text -> text;
    volatile RSAKey signing = KEY;
    volatile List<RSAKey> published = List.of(KEY);
    volatile TokenEndpoint tokens = form -> tokens(form, claims("", Map.of()), "");

    /** Changes what it says of itself. */
    @FunctionalInterface
    interface Discovery {
        String of(String honest) throws InterruptedException;
    }

    /** What it answers to a form. */
    @FunctionalInterface
    interface TokenEndpoint {
        Step answer(Map<String, String> form) throws InterruptedException;
    }

    private static RSAKey key(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    int port() {
        return server.port();
    }

    String issuer() {
        return "http://127.0.0.1:" + port();
    }

    private Step answer(ReceivedRequest request) throws InterruptedException {
        if (request.target().equals("/token")) {
            tokenRequests.add(request);
            Map<String, String> form = FormText.read(request.bodyText());
            if (form == null) {
                throw new AssertionError(request.bodyText());
            }
            return tokens.answer(form);
        }
        otherRequests.add(request);
        return switch (request.target()) {
            case "/.well-known/openid-configuration" -> json(discovery.of(discovery()));
            case "/keys" ->
                json(new JWKSet(List.copyOf(published)).toPublicJWKSet().toString());
            default -> Answer.of(404);
        };
    }

    private String discovery() {
        return """
                { "issuer": "%1$s", "authorization_endpoint": "%1$s/login?tenant=a", "token_endpoint": "%1$s/token",
                  "jwks_uri": "%1$s/keys", "end_session_endpoint": "%1$s/logout" }
                """.formatted(issuer());
    }

    static Answer json(String text) {
        return Answer.ok(text).header("Content-Type", "application/json");
    }

    /** What an honest provider says of Ada, changed by {@code changes}: "" takes a claim out. */
    Map<String, Object> claims(String nonce, Map<String, Object> changes) {
        long now = System.currentTimeMillis() / 1_000;
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("iss", issuer());
        claims.put("sub", "ada");
        claims.put("aud", "shop");
        claims.put("iat", now);
        claims.put("exp", now + 300);
        claims.put("email", "ada@example.org");
        if (!nonce.isEmpty()) {
            claims.put("nonce", nonce);
        }
        claims.putAll(changes);
        claims.values().removeIf(""::equals);
        return claims;
    }

    /** Tokens with those claims in the ID token; {@code more} are further members of the answer. */
    Answer tokens(Map<String, String> form, Map<String, Object> claims, String more) {
        String access = "access-" + form.getOrDefault("code", form.getOrDefault("refresh_token", ""));
        return json("{ \"token_type\": \"Bearer\", \"access_token\": \"" + access + "\", \"id_token\": \""
                + signed(claims) + "\"" + more + " }");
    }

    String signed(Map<String, Object> claims) {
        try {
            JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256)
                    .keyID(signing.getKeyID())
                    .build();
            JWSObject token = new JWSObject(header, new Payload(claims));
            token.sign(new RSASSASigner(signing));
            return token.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
