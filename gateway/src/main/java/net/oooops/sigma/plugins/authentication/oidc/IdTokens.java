package net.oooops.sigma.plugins.authentication.oidc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.plugins.authentication.jose.KeySet;
import net.oooops.sigma.plugins.authentication.jose.Refusal;
import net.oooops.sigma.plugins.authentication.jose.Rules;
import net.oooops.sigma.plugins.authentication.jose.Token;
import net.oooops.sigma.plugins.authentication.jose.Verifying;
import net.oooops.sigma.plugins.authentication.oidc.ProviderException.Kind;
import org.bouncycastle.crypto.digests.SHAKEDigest;
import org.jspecify.annotations.Nullable;

/** What is asked of ID tokens (OpenID Connect Core 1.0 section 3.1.3.7). Safe for use from any thread. */
final class IdTokens {
    private final Provider provider;
    private final Rules rules;
    private final String clientId;
    private final InstantSource clock;

    /** Who it is, as a verified token says. */
    record Identity(String subject, Consumer consumer) {}

    /** @param rules that ask for the provider, for Sigma as the one that tokens are for, and for when they expire */
    IdTokens(Provider provider, Rules rules, String clientId, InstantSource clock) {
        this.provider = provider;
        this.rules = rules;
        this.clientId = clientId;
        this.clock = clock;
    }

    /**
     * Verifies the one that came with these tokens; off the event loop, which signatures by curves would hold up. Fails with a {@link ProviderException}
     * where it isn't one that was asked for.
     *
     * @param nonce that it has to have; null: any, as with one that came without a login
     */
    CompletionStage<Identity> verified(Exchange exchange, Provider.Known known, Tokens tokens, @Nullable String nonce) {
        String text = tokens.identity();
        Token token = text == null ? null : Token.read(text).token();
        if (token == null || !rules.takesType(token.type())) {
            return CompletableFuture.failedFuture(unfit(text == null ? "no ID token" : "no ID token that can be read"));
        }
        return verdict(known, token).thenCompose(verdict -> {
            if (verdict == KeySet.Verdict.VERIFIED) {
                // Else it may be by a key that has taken the place of another, under the same name or none.
                return CompletableFuture.completedFuture(identity(verdict, token, tokens.access(), nonce));
            }
            return provider.newer(exchange, known)
                    .thenCompose(newer -> verdict(newer, token))
                    .thenApply(last -> identity(last, token, tokens.access(), nonce));
        });
    }

    private static CompletableFuture<KeySet.Verdict> verdict(Provider.Known known, Token token) {
        return CompletableFuture.supplyAsync(() -> known.keys().verify(token), Verifying.THREADS);
    }

    private Identity identity(KeySet.Verdict verdict, Token token, String accessToken, @Nullable String nonce) {
        if (verdict != KeySet.Verdict.VERIFIED) {
            throw unfit("an ID token whose signature can't be verified (" + verdict + ")");
        }
        Map<String, Object> claims = token.claims();
        Refusal refusal = claims == null ? Refusal.MALFORMED : rules.refusal(claims, clock.millis());
        if (claims == null || refusal != null) {
            throw unfit(
                    "an ID token that is refused (" + (refusal == null ? Refusal.MALFORMED : refusal).reason() + ")");
        }
        boolean forSeveral = claims.get("aud") instanceof List<?> several && several.size() > 1;
        Object party = claims.get("azp");
        if (party == null ? forSeveral : !party.equals(clientId)) {
            throw unfit("an ID token that was issued to another client");
        }
        if (nonce != null && !(claims.get("nonce") instanceof String own && isSame(own, nonce))) {
            throw unfit("an ID token of another login");
        }
        if (claims.containsKey("at_hash")
                && !hash(token.algorithm(), accessToken).equals(claims.get("at_hash"))) {
            throw unfit("an ID token for another access token");
        }
        return new Identity(String.valueOf(claims.get("sub")), rules.consumer(claims));
    }

    /** Compares in constant time. */
    static boolean isSame(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    /** The left half of a digest of the access token (OpenID Connect Core 1.0 section 3.1.3.6). */
    private static String hash(Algorithm algorithm, String accessToken) {
        byte[] digest = digest(algorithm, accessToken.getBytes(StandardCharsets.US_ASCII));
        return Sealer.text(Arrays.copyOf(digest, digest.length / 2));
    }

    private static byte[] digest(Algorithm algorithm, byte[] bytes) {
        String digest = switch (algorithm) {
            case RS256, PS256, ES256, ES256K, HS256 -> "SHA-256";
            case RS384, PS384, ES384, HS384 -> "SHA-384";
            case RS512, PS512, ES512, HS512, ED25519 -> "SHA-512";
            case ED448 -> "";
        };
        try {
            return digest.isEmpty()
                    ? shake256(bytes)
                    : MessageDigest.getInstance(digest).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Of as many bytes as Ed448 takes of it (RFC 8032 section 5.2), which the JDK hasn't. */
    private static byte[] shake256(byte[] bytes) {
        byte[] digest = new byte[Algorithm.ED448.bytes()];
        SHAKEDigest shake = new SHAKEDigest(256);
        shake.update(bytes, 0, bytes.length);
        shake.doFinal(digest, 0, digest.length);
        return digest;
    }

    private static ProviderException unfit(String what) {
        return new ProviderException(Kind.UNFIT_TOKEN, what);
    }
}
