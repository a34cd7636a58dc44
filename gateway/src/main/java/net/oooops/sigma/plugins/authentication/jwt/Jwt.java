package net.oooops.sigma.plugins.authentication.jwt;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.plugins.authentication.CredentialPlugin;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.Overload;
import net.oooops.sigma.plugins.authentication.Remembered;
import net.oooops.sigma.plugins.authentication.Terms;
import net.oooops.sigma.plugins.authentication.UnderWay;
import net.oooops.sigma.plugins.authentication.jose.KeySet;
import net.oooops.sigma.plugins.authentication.jose.Refusal;
import net.oooops.sigma.plugins.authentication.jose.Rules;
import net.oooops.sigma.plugins.authentication.jose.Token;
import net.oooops.sigma.plugins.authentication.jose.Verifying;
import org.jspecify.annotations.Nullable;

/**
 * Finds who a request is from by a signed token. What was verified is remembered until the token expires, or the keys change: then it costs a digest
 * and a lookup. Else the signature is verified: on the event loop where that takes up to 100 µs or so; elsewhere ({@link Verifying}) where it takes
 * up to some milliseconds, with the exchange parked, and with those that have the same token. With keys from a URL it may be parked until they
 * are there, too. Where there are other keys once a signature was verified, they decide.
 */
final class Jwt extends CredentialPlugin {
    /** The keys, what was verified with them, and what is being verified. */
    private static final class Trusted {
        private final KeySet keys;
        private final Remembered<Verified> remembered;
        private final UnderWay<KeySet.Verdict> underWay;

        private Trusted(KeySet keys, int rememberedMax, Overload overload) {
            this.keys = keys;
            remembered = new Remembered<>(rememberedMax);
            underWay = new UnderWay<>(Verifying.SIGNATURES, overload);
        }
    }

    /**
     * Of a token that was verified.
     *
     * @param untilMillis from when on it has expired
     */
    private record Verified(Consumer consumer, long untilMillis) {}

    /** Bounds: of a token's characters, and of how many are remembered. */
    record Bounds(int tokenCharsMax, int rememberedMax) {}

    /**
     * How requests are refused.
     *
     * @param refusals by the ordinal of {@link Refusal}
     */
    record Answers(List<Outcome> refusals, Overload overload) {}

    private final Rules rules;
    private final Bounds bounds;
    private final Answers answers;
    private final InstantSource clock;
    private volatile @Nullable Trusted trusted;
    private @Nullable RemoteKeys remote;

    Jwt(Terms terms, Rules rules, Bounds bounds, Answers answers, InstantSource clock) {
        super(terms, answers.refusals.get(Refusal.NO_TOKEN.ordinal()));
        this.rules = rules;
        this.bounds = bounds;
        this.answers = answers;
        this.clock = clock;
    }

    /** What tokens are verified with, from now on. */
    void keys(KeySet keys) {
        trusted = new Trusted(keys, bounds.rememberedMax, answers.overload);
    }

    /** Where keys are fetched from. */
    void fetch(RemoteKeys keys) {
        remote = keys;
    }

    @Override
    public void takeOver(Plugin before) {
        if (remote != null && before instanceof Jwt jwt && jwt.remote != null) {
            remote.takeOver(jwt.remote);
        }
    }

    @Override
    public byte[] leave() {
        return remote == null ? new byte[0] : remote.leave();
    }

    @Override
    public void inherit(byte[] left) {
        if (remote != null) {
            remote.inherit(left);
        }
    }

    @Override
    public void start() throws Exception {
        if (remote != null) {
            remote.start();
        }
    }

    @Override
    public void close() {
        if (remote != null) {
            remote.close();
        }
    }

    @Override
    protected Outcome judge(Exchange exchange, String text) {
        return text.length() > bounds.tokenCharsMax ? refused(Refusal.MALFORMED) : judged(exchange, text, remote);
    }

    private Outcome refused(Refusal refusal) {
        return answers.refusals.get(refusal.ordinal());
    }

    /** @param asked where keys may be fetched that aren't there; null: no more */
    private Outcome judged(Exchange exchange, String text, @Nullable RemoteKeys asked) {
        Trusted now = trusted;
        if (now == null) {
            return fetched(exchange, text, asked, null);
        }
        Digest digest = Digest.of(text);
        Verified before = now.remembered.get(digest);
        if (before != null) {
            return clock.millis() < before.untilMillis ? accept(exchange, before.consumer) : refused(Refusal.EXPIRED);
        }
        Token.Read read = Token.read(text);
        Token token = read.token();
        if (token == null) {
            return refused(read.why() == Token.Unreadable.ALGORITHM ? Refusal.UNFIT_ALGORITHM : Refusal.MALFORMED);
        }
        if (!rules.takesType(token.type())) {
            return refused(Refusal.UNFIT_TYPE);
        }
        Judgement judgement = new Judgement(now, digest, token, text, asked);
        if (!now.keys.takesLong(token)) {
            return decided(exchange, judgement, now.keys.verify(token));
        }
        return now.underWay.park(
                digest,
                exchange.clientIp(),
                new UnderWay.Verification<>(Verifying.THREADS, () -> now.keys.verify(token)),
                verdict -> Outcome.then(there -> verified(there, judgement, verdict)));
    }

    /** Keys that came while the signature was verified have the last word: it may be by one that was taken away. */
    private Outcome verified(Exchange exchange, Judgement judgement, KeySet.Verdict verdict) {
        return trusted == judgement.by
                ? decided(exchange, judgement, verdict)
                : judged(exchange, judgement.text, judgement.asked);
    }

    /** A token that is being judged. */
    private record Judgement(
            Trusted by,
            Digest digest,
            Token token,
            String text,
            @Nullable RemoteKeys asked) {}

    private Outcome decided(Exchange exchange, Judgement judgement, KeySet.Verdict verdict) {
        return switch (verdict) {
            case UNKNOWN_KEY -> fetched(exchange, judgement.text, judgement.asked, judgement.by);
            case UNFIT_ALGORITHM -> refused(Refusal.UNFIT_ALGORITHM);
            case BAD_SIGNATURE -> refused(Refusal.BAD_SIGNATURE);
            case VERIFIED -> claimed(exchange, judgement.by.remembered, judgement.digest, judgement.token.claims());
        };
    }

    private Outcome claimed(
            Exchange exchange, Remembered<Verified> remembered, Digest digest, @Nullable Map<String, Object> claims) {
        Refusal refusal = claims == null ? Refusal.MALFORMED : rules.refusal(claims, clock.millis());
        if (claims == null || refusal != null) {
            return refused(refusal == null ? Refusal.MALFORMED : refusal);
        }
        Verified verified = new Verified(rules.consumer(claims), rules.untilMillis(claims));
        remembered.put(digest, verified);
        return accept(exchange, verified.consumer);
    }

    /** Judges it once more when keys were fetched; where there are none to come, it is refused. */
    private Outcome fetched(Exchange exchange, String text, @Nullable RemoteKeys asked, @Nullable Trusted before) {
        CompletableFuture<Boolean> coming = asked == null ? null : asked.fetch();
        if (coming != null) {
            return Verifying.park(
                    coming,
                    exchange.clientIp(),
                    answers.overload,
                    changed -> Outcome.then(there -> judged(there, text, null)));
        }
        if (asked != null && trusted != before) {
            return judged(exchange, text, null);
        }
        return refused(before == null ? Refusal.NO_KEYS : Refusal.UNKNOWN_KEY);
    }
}
