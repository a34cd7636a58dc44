package net.oooops.sigma.plugins.hsts;

import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;

/** Sets Strict-Transport-Security where the client came over https, and takes it away where it didn't (RFC 6797 section 7). Allocates nothing. */
record Hsts(Field policy) implements Plugin {
    @Override
    public Needs needs() {
        return Needs.RESPONSE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        if (exchange.request().scheme().equals("https")) {
            exchange.response().set(policy);
        } else {
            exchange.response().remove(policy.name());
        }
        return Outcome.CONTINUE;
    }
}
