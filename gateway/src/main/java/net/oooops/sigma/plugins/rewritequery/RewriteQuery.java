package net.oooops.sigma.plugins.rewritequery;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;

/**
 * Changes the query of requests.
 *
 * @param steps what becomes of one
 * @param makes what becomes of none; empty where that is nothing
 */
record RewriteQuery(Steps steps, String makes) implements Plugin {
    private static final Ascii SLASH = Ascii.of("/");

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        // OPTIONS * and CONNECT have no query.
        if (!request.pathStartsWith(SLASH)) {
            return Outcome.CONTINUE;
        }
        String query = request.query();
        if (query == null || query.isEmpty()) {
            if (!makes.isEmpty()) {
                request.query(makes);
            }
            return Outcome.CONTINUE;
        }
        String changed = steps.apply(query);
        if (!changed.equals(query)) {
            request.query(changed.isEmpty() ? null : changed);
        }
        return Outcome.CONTINUE;
    }
}
