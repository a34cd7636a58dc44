package net.oooops.sigma.plugins.authentication;

import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;

/**
 * A plugin that finds who a request is from by credentials in its head: looks where they stand, lets pass what may, asks for them where there are
 * none. What they are worth {@link #judge} says.
 */
public abstract class CredentialPlugin implements Plugin {
    private final Terms terms;
    private final Outcome missing;

    /** @param missing the answer to a request without credentials */
    protected CredentialPlugin(Terms terms, Outcome missing) {
        this.terms = terms;
        this.missing = missing;
    }

    @Override
    public final Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public final Outcome onRequest(Exchange exchange) {
        if (terms.unlessKnown() && exchange.consumer() != null) {
            return Outcome.CONTINUE;
        }
        String credentials = terms.credentials().read(exchange.request());
        if (credentials == null) {
            return terms.optional() ? Outcome.CONTINUE : missing;
        }
        return judge(exchange, credentials);
    }

    /**
     * Decides, on the event loop.
     *
     * @param credentials as they were sent; empty where they can't be read
     */
    protected abstract Outcome judge(Exchange exchange, String credentials);

    /** Lets the request of that consumer go on, without its credentials where they are to be hidden. */
    protected final Outcome accept(Exchange exchange, Consumer consumer) {
        if (terms.hides()) {
            terms.credentials().hide(exchange.request());
        }
        exchange.consumer(consumer);
        return Outcome.CONTINUE;
    }
}
