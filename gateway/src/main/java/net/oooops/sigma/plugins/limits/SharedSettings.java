package net.oooops.sigma.plugins.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;

/** Reads {@code shared} of {@code rate-limit}. */
final class SharedSettings {
    /** What is left out is that part of the smallest burst. */
    private static final long PART = 10;

    /** The longest that a bucket may take to be full: Redis counts no further. */
    private static final long BUCKET_NANOS_MAX = TimeUnit.DAYS.toNanos(400);

    private final Settings settings;
    private final PluginContext context;

    SharedSettings(Settings settings, PluginContext context) {
        this.settings = settings.get("shared");
        this.context = context;
    }

    /** Rates as Redis counts them. */
    static List<Rate> countable(List<Rate> rates, Settings limits) {
        List<Rate> countable = new ArrayList<>();
        for (int i = 0; i < rates.size(); i++) {
            Rate rate = rates.get(i).inSteps(LeaseScript.UNIT_NANOS);
            if (rate.tokenNanos() > BUCKET_NANOS_MAX / rate.burst()) {
                throw limits.elements().get(i).get("burst").unexpected("fewer: with \"shared\" they may take 400 days");
            }
            countable.add(rate);
        }
        return countable;
    }

    /** What holds for those of a plan, who are counted beside all others. */
    SharedLimit.Terms terms(String plan, List<Rate> rates, long cost, int keys) {
        long smallest = rates.stream().mapToLong(Rate::burst).min().orElse(cost);
        String name = settings.get("name").string();
        return new SharedLimit.Terms(
                settings.get("redis-id").string(),
                plan.equals(ByPlan.REST) ? name : name + ":" + plan,
                rates,
                cost,
                tokens("lease", smallest, cost),
                tokens("credit", smallest, cost),
                keys);
    }

    /** Opens what it needs; to be the last that may fail. */
    SharedLimit limit(SharedLimit.Terms terms) {
        SharedLimit.Counts counts = new SharedLimit.Counts(
                context.counter("on_credit", "Requests let in before Redis had said so."),
                context.counter("lease_failures", "Questions for tokens that Redis gave no answer to."),
                context.counter(
                        "shared_keys", "Requests with a key too many to be remembered, counted together in Redis."));
        return new SharedLimit(System::nanoTime, terms, counts, context.redis(terms.redisId()));
    }

    /** So many requests' worth of tokens. */
    private long tokens(String name, long smallest, long cost) {
        Settings written = settings.get(name);
        long tokens = written.integer(Math.max(cost, smallest / PART / cost * cost));
        if (tokens < cost || tokens > smallest) {
            throw written.unexpected(cost + " to " + smallest + ", what a request costs and the smallest burst");
        }
        return tokens / cost * cost;
    }

    /** What is done while Redis is lost. */
    SharedRateLimit.Lost lost(Buckets local) {
        SharedRateLimit.OnFailure then = switch (settings.get("on-failure").string("local")) {
            case "pass" -> SharedRateLimit.OnFailure.PASS;
            case "refuse" -> SharedRateLimit.OnFailure.REFUSE;
            default -> SharedRateLimit.OnFailure.LOCAL;
        };
        Outcome refused = context.reason("limit-unknown")
                .respond(Response.line(503, "The limit can't be looked up.", Field.of("Retry-After", "1")));
        return new SharedRateLimit.Lost(
                then,
                context.counter("decided_without_redis", "Requests decided without Redis, as it was lost."),
                local,
                refused);
    }
}
