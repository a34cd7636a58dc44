package net.oooops.sigma.plugins.limits;

import java.util.List;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Plugin;

/** Refuses a request whose key has no token left of one of the limits, and tells clients what they have left. */
final class RateLimit implements Plugin {
    private final KeyedBy by;
    private final long cost;
    private final Refusals refusals;
    /** What held for the request, until its response passes: another consumer may have been found since. */
    private final Key<Allowance> held = Key.of(Allowance.class, "rate-limit");

    private ByPlan<Allowance> allowances;

    /**
     * What those of a plan may.
     *
     * @param fields what clients are told
     */
    record Allowance(Buckets buckets, LimitFields fields) {
        /** Of what was taken of that was taken of this. */
        Allowance after(Allowance before) {
            return new Allowance(buckets.after(before.buckets), fields);
        }
    }

    /** @param cost how many tokens a request takes, at most as many as each bucket has */
    RateLimit(KeyedBy by, long cost, ByPlan<Allowance> allowances, Refusals refusals) {
        this.by = by;
        this.cost = cost;
        this.allowances = allowances;
        this.refusals = refusals;
    }

    @Override
    public Needs needs() {
        return allowances.rest().fields.needs();
    }

    @Override
    public List<PathParameter> parameters() {
        return by.parameters();
    }

    /** Before the first exchange: who has asked too often isn't let in since other numbers hold. With other keys it can't be said whose they were. */
    @Override
    public void takeOver(Plugin before) {
        if (before instanceof RateLimit there && there.by.equals(by)) {
            allowances = allowances.after(there.allowances, Allowance::after);
        }
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        Allowance allowance = allowances.of(exchange);
        ShortKey key = by.of(exchange);
        long wait = allowance.buckets.take(key, cost);
        if (!allowance.fields.isNone()) {
            exchange.value(held, allowance);
            allowance.fields.tell(exchange, allowance.buckets.of(key));
        }
        return wait == 0 ? Outcome.CONTINUE : refusals.after(wait);
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        Allowance allowance = exchange.value(held);
        if (allowance != null) {
            allowance.fields.onResponse(exchange, allowance.buckets.nowNanos());
        }
        return Outcome.CONTINUE;
    }

    /** How many keys are remembered. */
    int keysCount() {
        int[] sum = {0};
        allowances.forEach(each -> sum[0] += each.buckets.count());
        return sum[0];
    }
}
