package net.oooops.sigma.plugins.limits;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * What clients are told of the limits: {@code RateLimit-Policy} and {@code RateLimit} as draft-ietf-httpapi-ratelimit-headers-11 has them, and the
 * three fields {@code X-RateLimit-…} that were there before, of the limit that has least left.
 *
 * <p>{@code r} is what is left, {@code t} how long no more comes, so that Retry-After is never earlier. Immutable, any thread.
 */
final class LimitFields {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final FieldName RATE_LIMIT = FieldName.of("RateLimit");
    private static final FieldName LIMIT = FieldName.of("X-RateLimit-Limit");
    private static final FieldName REMAINING = FieldName.of("X-RateLimit-Remaining");
    private static final FieldName RESET = FieldName.of("X-RateLimit-Reset");
    private static final int ITEM_CHARS = 32;

    private final Rate[] rates;
    private final @Nullable Field policy;
    private final boolean legacy;
    /** What was asked for the request, until its response passes. */
    private final Key<Level> asked = Key.of(Level.class, "rate-limit");

    /**
     * @param standard whether the fields of the draft are given
     * @param legacy whether those before them are
     */
    LimitFields(Rate[] rates, boolean standard, boolean legacy) {
        this.rates = rates.clone();
        this.policy = standard ? Field.of("RateLimit-Policy", policy(rates)) : null;
        this.legacy = legacy;
    }

    private static String policy(Rate[] rates) {
        StringBuilder text = new StringBuilder();
        for (Rate rate : rates) {
            item(text, rate).append(";q=").append(rate.tokens());
            // The draft has no parts of seconds.
            if (rate.perNanos() % SECOND_NANOS == 0) {
                text.append(";w=").append(rate.perNanos() / SECOND_NANOS);
            }
        }
        return text.toString();
    }

    private static StringBuilder item(StringBuilder text, Rate rate) {
        return text.append(text.isEmpty() ? "\"" : ", \"").append(rate.name()).append('"');
    }

    /** Whether nothing is told. */
    boolean isNone() {
        return policy == null && !legacy;
    }

    /** What a plugin needs that tells it. */
    Needs needs() {
        return isNone() ? Needs.REQUEST : Needs.BOTH;
    }

    /** The client is to be told of that. */
    void tell(Exchange exchange, Level level) {
        exchange.value(asked, level);
    }

    /** The response passes: has what its client is to be told. */
    void onResponse(Exchange exchange, long now) {
        Level level = exchange.value(asked);
        if (level != null) {
            addTo(exchange.response(), level, now);
        }
    }

    /** Tells what that bucket has. Other lists of the same names are left as they are: there may be limits before and behind. */
    private void addTo(ResponseHead response, Level level, long now) {
        if (policy != null) {
            response.add(policy);
            response.add(Field.of(RATE_LIMIT, left(level, now)));
        }
        if (legacy) {
            addLegacy(response, level, now);
        }
    }

    /** The value of {@code RateLimit}. */
    String left(Level level, long now) {
        StringBuilder text = new StringBuilder(ITEM_CHARS * rates.length);
        for (int i = 0; i < rates.length; i++) {
            long left = level.left(rates, i, now);
            item(text, rates[i]).append(";r=").append(left);
            long away = level.fullAtNanos(i, now) - now;
            if (away > 0) {
                long nextNanos = away - rates[i].bucketNanos() + (left + 1) * rates[i].tokenNanos();
                text.append(";t=").append(Refusals.seconds(Math.max(0, nextNanos)));
            }
        }
        return text.toString();
    }

    private void addLegacy(ResponseHead response, Level level, long now) {
        int least = 0;
        for (int i = 1; i < rates.length; i++) {
            double left = (double) level.left(rates, i, now) / rates[i].burst();
            least = left < (double) level.left(rates, least, now) / rates[least].burst() ? i : least;
        }
        long away = level.fullAtNanos(least, now) - now;
        response.set(Field.of(LIMIT, Long.toString(rates[least].burst())));
        response.set(Field.of(REMAINING, Long.toString(level.left(rates, least, now))));
        response.set(Field.of(RESET, Long.toString(Refusals.seconds(Math.max(0, away)))));
    }
}
