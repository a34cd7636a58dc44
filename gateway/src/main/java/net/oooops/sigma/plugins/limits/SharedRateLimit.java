package net.oooops.sigma.plugins.limits;

import java.util.List;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;

/** {@link RateLimit} with limits that several processes share. While their Redis is lost, what the settings say is done. */
final class SharedRateLimit implements Plugin {
    private final KeyedBy by;
    private final Refusals refusals;
    /** What held for the request, until its response passes: another consumer may have been found since. */
    private final Key<Share> held = Key.of(Share.class, "rate-limit");

    private ByPlan<Share> shares;

    /**
     * What those of a plan may.
     *
     * @param fields what clients are told
     */
    record Share(SharedLimit limit, Lost lost, LimitFields fields) {
        /** What that has, and owes, this goes on to have. Where limits are others, what that has expires. */
        Share after(Share before) {
            Lost known = lost.after(before.lost.local());
            if (!before.limit.isLike(limit)) {
                return new Share(limit, known, fields);
            }
            limit.leave();
            return new Share(before.limit.share(), known, fields);
        }
    }

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

    SharedRateLimit(KeyedBy by, ByPlan<Share> shares, Refusals refusals) {
        this.by = by;
        this.shares = shares;
        this.refusals = refusals;
    }

    @Override
    public Needs needs() {
        return shares.rest().fields.needs();
    }

    @Override
    public List<PathParameter> parameters() {
        return by.parameters();
    }

    /** Before the first exchange: what this process has, and owes, it goes on to have, and what it has given by itself is given. */
    @Override
    public void takeOver(Plugin before) {
        if (before instanceof SharedRateLimit there && there.by.equals(by)) {
            shares = shares.after(there.shares, Share::after);
        }
    }

    @Override
    public void close() {
        shares.forEach(each -> each.limit.leave());
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        Share share = shares.of(exchange);
        SharedLimit limit = share.limit;
        ShortKey key = by.of(exchange);
        long now = limit.nowNanos();
        if (limit.isLost()) {
            if (limit.isProbeDue(now)) {
                of(limit, key, exchange, now).probe(now);
            }
            return withoutRedis(share, key, exchange);
        }
        while (true) {
            SharedKey there = of(limit, key, exchange, now);
            long wait = there.take(now);
            if (wait != SharedKey.FORGOTTEN) {
                return answer(exchange, share, there, wait);
            }
            limit.remove(key, there);
        }
    }

    private SharedKey of(SharedLimit limit, ShortKey key, Exchange exchange, long nowNanos) {
        SharedKey there = limit.find(key);
        return there == null ? limit.add(key, by.name(exchange), nowNanos) : there;
    }

    private Outcome withoutRedis(Share share, ShortKey key, Exchange exchange) {
        Lost lost = share.lost;
        lost.requests().increment();
        OnFailure then = share.limit.isCrowded() ? OnFailure.LOCAL : lost.then();
        switch (then) {
            case PASS -> {
                return Outcome.CONTINUE;
            }
            case REFUSE -> {
                return lost.refused();
            }
            case LOCAL -> {
                // What was taken while Redis was there was taken: each time that it is lost would begin anew.
                long wait = lost.local().take(key, share.limit.cost(), share.limit.find(key));
                return answer(exchange, share, lost.local().of(key), wait);
            }
        }
        throw new IllegalStateException(then.name());
    }

    private Outcome answer(Exchange exchange, Share share, Level level, long wait) {
        if (!share.fields.isNone()) {
            exchange.value(held, share);
            share.fields.tell(exchange, level);
        }
        return wait == 0 ? Outcome.CONTINUE : refusals.after(wait);
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        Share share = exchange.value(held);
        if (share != null) {
            share.fields.onResponse(exchange, share.limit.nowNanos());
        }
        return Outcome.CONTINUE;
    }
}
