package net.oooops.sigma.plugins.authentication.basicauth;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.plugins.authentication.BoundedWork;
import net.oooops.sigma.plugins.authentication.CredentialPlugin;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.Overload;
import net.oooops.sigma.plugins.authentication.Remembered;
import net.oooops.sigma.plugins.authentication.Terms;
import net.oooops.sigma.plugins.authentication.UnderWay;
import net.oooops.sigma.plugins.authentication.basicauth.Users.User;
import org.jspecify.annotations.Nullable;

/**
 * Finds who a request is from by user and password. Passwords are hashed elsewhere ({@link Hashing}), with the exchange parked; who was let in is
 * remembered for a while, and then it is a lookup on the event loop. Requests with the same user and password that come while it is hashed wait for
 * that. Those of wrong ones aren't remembered, and unknown users take as long as known ones. Where other users are known once a password was hashed,
 * they decide; whoever is remembered stays so where the new ones have the same hash of that user.
 */
final class BasicAuth extends CredentialPlugin {
    /** How requests are refused. */
    record Refusals(Outcome missing, Outcome malformed, Outcome unknown, Outcome wrong, Overload overload) {}

    /**
     * Bounds: of a password's bytes, of how many are remembered and how long, and of how many are hashed or wait for it here.
     *
     * @param work within {@link Hashing#ALL_PLACES}
     */
    record Bounds(int passwordBytesMax, int rememberedMax, long rememberedNanos, BoundedWork work) {}

    private static final int USER_BYTES_MAX = 256;

    /** Who is known, and whose passwords are being hashed among them. */
    private static final class Known {
        private final Users users;
        private final long number;
        private final UnderWay<Boolean> underWay;

        private Known(Users users, long number, UnderWay<Boolean> underWay) {
            this.users = users;
            this.number = number;
            this.underWay = underWay;
        }
    }

    private final Bounds bounds;
    private final Refusals refusals;
    private final LongSupplier nanoClock;
    private final byte[] secret = new byte[32];
    /** Who was let in, by the digest of user and password. */
    private final Remembered<Accepted> remembered;

    private volatile Known known;

    BasicAuth(Terms terms, Bounds bounds, Refusals refusals, LongSupplier nanoClock) {
        super(terms, refusals.missing);
        this.bounds = bounds;
        this.refusals = refusals;
        this.nanoClock = nanoClock;
        this.remembered = new Remembered<>(bounds.rememberedMax);
        known = new Known(Users.of(Map.of()), 0, new UnderWay<>(bounds.work, refusals.overload));
        new SecureRandom().nextBytes(secret);
    }

    /** Who is known, from now on. By one thread at a time. */
    void users(Users users) {
        known = new Known(users, known.number + 1, new UnderWay<>(bounds.work, refusals.overload));
    }

    @Override
    protected Outcome judge(Exchange exchange, String credentials) {
        byte[] pair = pair(credentials);
        if (pair == null) {
            return refusals.malformed;
        }
        Known now = known;
        Digest digest = Digest.of(secret, pair);
        Accepted accepted = accepted(now, digest);
        if (accepted == null) {
            return hashed(exchange, now, digest, pair);
        }
        long nanos = nanoClock.getAsLong();
        if (!accepted.holds(nanos)) {
            return hashed(exchange, now, digest, pair);
        }
        if (accepted.prolong(nanos, bounds.rememberedNanos)) {
            bounds.work.trust(exchange.clientIp());
        }
        return accept(exchange, accepted.user().consumer());
    }

    /** One who was let in and is known as then. */
    private @Nullable Accepted accepted(Known now, Digest digest) {
        Accepted found = remembered.get(digest);
        if (found == null || found.isAmong(now.number)) {
            return found;
        }
        Accepted there = found.among(now.users, now.number);
        if (there != null) {
            remembered.put(digest, there);
        }
        return there;
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

    private Outcome hashed(Exchange exchange, Known now, Digest digest, byte[] pair) {
        String name = name(pair);
        User user = name == null ? null : now.users.byName().get(name);
        PasswordHash hash =
                user == null ? now.users.inPlaceOf(Digest.of(secret, Arrays.copyOf(pair, colon(pair)))) : user.hash();
        if (hash == null) {
            return refusals.unknown;
        }
        UnderWay.Verification<Boolean> hashing = new UnderWay.Verification<>(
                hash.threads(), () -> hash.matches(Arrays.copyOfRange(pair, colon(pair) + 1, pair.length)));
        return now.underWay.park(
                digest,
                exchange.clientIp(),
                hashing,
                matches -> Outcome.then(there -> {
                    Known then = known;
                    return now == then ? decided(there, now, user, digest, matches) : hashed(there, then, digest, pair);
                }));
    }

    /** @param user who has that password; null where the name is nobody's */
    private Outcome decided(Exchange exchange, Known now, @Nullable User user, Digest digest, boolean matches) {
        if (user == null) {
            return refusals.unknown;
        }
        if (!matches) {
            return refusals.wrong;
        }
        remembered.put(digest, Accepted.of(user, now.number, nanoClock.getAsLong(), bounds.rememberedNanos));
        bounds.work.trust(exchange.clientIp());
        return accept(exchange, user.consumer());
    }
}
