package net.oooops.sigma.plugins.authentication.basicauth;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.FollowedFile;
import net.oooops.sigma.plugins.authentication.Terms;
import net.oooops.sigma.plugins.authentication.basicauth.Users.User;
import org.jspecify.annotations.Nullable;

/**
 * Finds who a request is from by user and password. Passwords are hashed elsewhere ({@link Hashing}), with the exchange parked; who was let in is
 * remembered for a while, and then it is a lookup on the event loop. Requests with the same user and password that come while it is hashed wait for
 * that. Those of wrong ones aren't remembered, and unknown users take as long as known ones.
 */
final class BasicAuth implements Plugin {
    /** How requests are refused. */
    record Refusals(
            Outcome missing, Outcome malformed, Outcome unknown, Outcome wrong, Outcome busy, Outcome clientBusy) {}

    /** Bounds: of a password's bytes, and of how long it is remembered. */
    record Bounds(int passwordBytesMax, long rememberedNanos) {}

    private static final int USER_BYTES_MAX = 256;

    private final Terms terms;
    private final Bounds bounds;
    private final Refusals refusals;
    private final Hashing hashing;
    private final LongSupplier nanoClock;
    private final byte[] secret = new byte[32];
    private final ConcurrentHashMap<Digest, CompletableFuture<Outcome>> underWay = new ConcurrentHashMap<>();
    private volatile Users users = Users.of(Map.of(), 0);
    private @Nullable FollowedFile file;

    BasicAuth(Terms terms, Bounds bounds, Refusals refusals, Hashing hashing, LongSupplier nanoClock) {
        this.terms = terms;
        this.bounds = bounds;
        this.refusals = refusals;
        this.hashing = hashing;
        this.nanoClock = nanoClock;
        new SecureRandom().nextBytes(secret);
    }

    /** Who is known, from now on. */
    void users(Users known) {
        users = known;
    }

    /** The file that users come from. */
    void follow(FollowedFile followed) {
        file = followed;
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public void start() {
        if (file != null) {
            file.start();
        }
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        if (terms.isSettled(exchange)) {
            return Outcome.CONTINUE;
        }
        String text = terms.credentials().read(exchange.request());
        if (text == null) {
            return terms.optional() ? Outcome.CONTINUE : refusals.missing;
        }
        byte[] pair = pair(text);
        if (pair == null) {
            return refusals.malformed;
        }
        Users known = users;
        Digest digest = Digest.of(secret, pair);
        Users.Accepted accepted = known.remembered().get(digest);
        if (accepted != null && accepted.untilNanos() - nanoClock.getAsLong() > 0) {
            return terms.accept(exchange, accepted.consumer());
        }
        return hashed(exchange, known, digest, pair);
    }

    /** User, colon and password; null where it isn't that, or is too long. Control characters are none (RFC 7617 section 2). */
    private byte @Nullable [] pair(String text) {
        if (text.length() > (USER_BYTES_MAX + 1 + bounds.passwordBytesMax) * 4 / 3 + 4) {
            return null;
        }
        byte[] pair;
        try {
            pair = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
        for (byte each : pair) {
            if ((each >= 0 && each < ' ') || each == 0x7F) {
                return null;
            }
        }
        int colon = colon(pair);
        boolean fits = colon > 0 && colon <= USER_BYTES_MAX && pair.length - colon - 1 <= bounds.passwordBytesMax;
        return fits ? pair : null;
    }

    private static int colon(byte[] pair) {
        for (int i = 0; i < pair.length; i++) {
            if (pair[i] == ':') {
                return i;
            }
        }
        return -1;
    }

    /** The name, or null where it isn't UTF-8. */
    private static @Nullable String name(byte[] pair) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(pair, 0, colon(pair)))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private Outcome hashed(Exchange exchange, Users known, Digest digest, byte[] pair) {
        String name = name(pair);
        User user = name == null ? null : known.byName().get(name);
        PasswordHash hash =
                user == null ? known.inPlaceOf(Digest.of(secret, Arrays.copyOf(pair, colon(pair)))) : user.hash();
        if (hash == null) {
            return refusals.unknown;
        }
        CompletableFuture<Outcome> next = new CompletableFuture<>();
        CompletableFuture<Outcome> before = underWay.putIfAbsent(digest, next);
        if (before != null) {
            return Outcome.suspend(before);
        }
        Hashing.Admission admission =
                hashing.submit(exchange.clientIp(), () -> decide(new Attempt(known, user, hash), digest, pair, next));
        return switch (admission) {
            case ADMITTED -> Outcome.suspend(next);
            case BUSY -> turnedAway(digest, next, refusals.busy);
            case CLIENT_BUSY -> turnedAway(digest, next, refusals.clientBusy);
        };
    }

    /** A password that is tried, among those who were known when it came. */
    private record Attempt(Users known, @Nullable User user, PasswordHash hash) {}

    /** Those that wait for it meanwhile are turned away, too. */
    private Outcome turnedAway(Digest digest, CompletableFuture<Outcome> next, Outcome refusal) {
        underWay.remove(digest, next);
        next.complete(refusal);
        return refusal;
    }

    private void decide(Attempt attempt, Digest digest, byte[] pair, CompletableFuture<Outcome> next) {
        try {
            boolean matches = attempt.hash.matches(Arrays.copyOfRange(pair, colon(pair) + 1, pair.length));
            User user = attempt.user;
            if (user != null && matches) {
                long untilNanos = nanoClock.getAsLong() + bounds.rememberedNanos;
                attempt.known.remembered().put(digest, new Users.Accepted(user.consumer(), untilNanos));
            }
            underWay.remove(digest, next);
            next.complete(user == null ? refusals.unknown : matches ? accepted(user.consumer()) : refusals.wrong);
        } catch (RuntimeException | Error e) {
            underWay.remove(digest, next);
            next.completeExceptionally(e);
        }
    }

    private Outcome accepted(Consumer consumer) {
        return Outcome.then(exchange -> terms.accept(exchange, consumer));
    }
}
