package net.oooops.sigma.plugins.headers;

import java.util.List;
import java.util.stream.Stream;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Plugin;

/** Edits header fields. Allocates nothing where no template is set. */
record Headers(Edits ofRequest, Edits ofResponse) implements Plugin {
    @Override
    public Needs needs() {
        return new Needs(!ofRequest.isEmpty(), !ofResponse.isEmpty(), false, BodyNeed.NONE, BodyNeed.NONE, false);
    }

    @Override
    public List<PathParameter> parameters() {
        return Stream.concat(ofRequest.parameters().stream(), ofResponse.parameters().stream())
                .toList();
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        ofRequest.applyTo(exchange.request(), exchange);
        return Outcome.CONTINUE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        ofResponse.applyTo(exchange.response(), exchange);
        return Outcome.CONTINUE;
    }
}
