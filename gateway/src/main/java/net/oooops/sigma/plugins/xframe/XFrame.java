package net.oooops.sigma.plugins.xframe;

import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;

/** Sets X-Frame-Options. Allocates nothing. */
record XFrame(Field options) implements Plugin {
    @Override
    public Needs needs() {
        return Needs.RESPONSE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        exchange.response().set(options);
        return Outcome.CONTINUE;
    }
}
