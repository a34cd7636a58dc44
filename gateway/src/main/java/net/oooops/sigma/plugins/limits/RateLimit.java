package net.oooops.sigma.plugins.limits;

import java.util.List;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Plugin;

/** Refuses a request whose key has no token left of one of the limits, and tells clients what they have left. */
final class RateLimit implements Plugin {
    private final KeyedBy by;
    private final long cost;
    private final Refusals refusals;
    private final LimitFields fields;
    private Buckets buckets;

    /**
     * @param cost how many tokens a request takes, at most as many as each bucket has
     * @param fields what clients are told
     */
    RateLimit(KeyedBy by, long cost, Buckets buckets, Refusals refusals, LimitFields fields) {
        this.by = by;
        this.cost = cost;
        this.buckets = buckets;
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

    /** Before the first exchange: who has asked too often isn't let in since other numbers hold. With other keys it can't be said whose they were. */
    @Override
    public void takeOver(Plugin before) {
        if (before instanceof RateLimit there && there.by.equals(by)) {
            buckets = buckets.after(there.buckets);
        }
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        ShortKey key = by.of(exchange);
        long wait = buckets.take(key, cost);
        if (!fields.isNone()) {
            fields.tell(exchange, buckets.of(key));
        }
        return wait == 0 ? Outcome.CONTINUE : refusals.after(wait);
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        fields.onResponse(exchange, buckets.nowNanos());
        return Outcome.CONTINUE;
    }

    /** How many keys are remembered. */
    int keysCount() {
        return buckets.count();
    }
}
