package net.oooops.sigma.plugins.respond;

import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;

/** Answers every request with the same. Allocates nothing. */
record Respond(Outcome answer) implements Plugin {
    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        return answer;
    }
}
