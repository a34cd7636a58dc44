package net.oooops.sigma.plugins.limits;

import java.util.List;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;

/** {@link RateLimit} with limits that several processes share. While their Redis is lost, what the settings say is done. */
final class SharedRateLimit implements Plugin {
    private final KeyedBy by;
    private final Refusals refusals;
    private final LimitFields fields;
    private SharedLimit limit;
    private Lost lost;

    /** What is done with requests while Redis is lost. */
    enum OnFailure {
        /** This process limits them by itself. */
        LOCAL,
        /** They pass. */
        PASS,
        /** They don't. */
        REFUSE
    }

    /**
     * While Redis is lost. Where it is since too much was asked of it at once, each process limits by itself, whatever is said.
     *
     * @param requests counts those that were decided so
     * @param local this process' own
     * @param refused what those get that don't pass
     */
    record Lost(OnFailure then, PluginContext.Counter requests, Buckets local, Outcome refused) {
        /** What was taken of those buckets was taken of these. */
        Lost after(Buckets before) {
            return new Lost(then, requests, local.after(before), refused);
        }
    }

    /** @param fields what clients are told */
    SharedRateLimit(KeyedBy by, SharedLimit limit, Lost lost, Refusals refusals, LimitFields fields) {
        this.by = by;
        this.limit = limit;
        this.lost = lost;
        this.refusals = refusals;
        this.fields = fields;
    }

    @Override
    public Needs needs() {
        return fields.needs();
    }

    @Override
    public List<PathParameter> parameters() {
        return by.parameters();
    }

    /**
     * Before the first exchange: what this process has, and owes, it goes on to have, and what it has given by itself is given. Where limits are
     * others, what it has expires.
     */
    @Override
    public void takeOver(Plugin before) {
        if (!(before instanceof SharedRateLimit there) || !there.by.equals(by)) {
            return;
        }
        lost = lost.after(there.lost.local());
        if (there.limit.isLike(limit)) {
            limit.leave();
            limit = there.limit.share();
        }
    }

    @Override
    public void close() {
        limit.leave();
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        ShortKey key = by.of(exchange);
        long now = limit.nowNanos();
        if (limit.isLost()) {
            if (limit.isProbeDue(now)) {
                of(key, exchange, now).probe(now);
            }
            return withoutRedis(key, exchange);
        }
        while (true) {
            SharedKey there = of(key, exchange, now);
            long wait = there.take(now);
            if (wait != SharedKey.FORGOTTEN) {
                return answer(exchange, there, wait);
            }
            limit.remove(key, there);
        }
    }

    private SharedKey of(ShortKey key, Exchange exchange, long nowNanos) {
        SharedKey there = limit.find(key);
        return there == null ? limit.add(key, by.name(exchange), nowNanos) : there;
    }

    private Outcome withoutRedis(ShortKey key, Exchange exchange) {
        lost.requests().increment();
        OnFailure then = limit.isCrowded() ? OnFailure.LOCAL : lost.then();
        switch (then) {
            case PASS -> {
                return Outcome.CONTINUE;
            }
            case REFUSE -> {
                return lost.refused();
            }
            case LOCAL -> {
                long wait = lost.local().take(key, limit.cost());
                return answer(exchange, lost.local().of(key), wait);
            }
        }
        throw new IllegalStateException(then.name());
    }

    private Outcome answer(Exchange exchange, Level level, long wait) {
        if (!fields.isNone()) {
            fields.tell(exchange, level);
        }
        return wait == 0 ? Outcome.CONTINUE : refusals.after(wait);
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        fields.onResponse(exchange, limit.nowNanos());
        return Outcome.CONTINUE;
    }
}
