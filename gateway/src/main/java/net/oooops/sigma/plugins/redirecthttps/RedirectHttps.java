package net.oooops.sigma.plugins.redirecthttps;

import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;

/**
 * Answers what came over http with a redirection to the same host, path and query over https (RFC 9110 section 15.4).
 *
 * @param status 301 or 308
 * @param port of https, as URLs have it: with a colon, or empty
 * @param except what begins with one of these passes
 */
record RedirectHttps(int status, String port, List<Ascii> except) implements Plugin {
    private static final Outcome NO_HOST = Outcome.respond(Response.text(400, "The request names no host."));

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        if (request.scheme().equals("https")) {
            return Outcome.CONTINUE;
        }
        for (Ascii prefix : except) {
            if (request.pathStartsWith(prefix)) {
                return Outcome.CONTINUE;
            }
        }
        String authority = request.authority();
        if (authority.isEmpty()) {
            return NO_HOST;
        }
        String path = request.path().equals("*") ? "" : request.path();
        String query = request.query() == null ? "" : "?" + request.query();
        String location = "https://" + host(authority) + port + path + query;
        return Outcome.respond(Response.of(status, Field.of("Location", location)));
    }

    /** The port is that of http. */
    private static String host(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    }
}
