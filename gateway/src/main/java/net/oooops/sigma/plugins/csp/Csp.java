package net.oooops.sigma.plugins.csp;

import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;

/** Sets Content-Security-Policy, or its report-only form. Allocates nothing. */
record Csp(Field policy) implements Plugin {
    @Override
    public Needs needs() {
        return Needs.RESPONSE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        exchange.response().set(policy);
        return Outcome.CONTINUE;
    }
}
