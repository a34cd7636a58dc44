package net.oooops.sigma.plugins.redirecthttps;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;

/**
 * Answers what came over the other scheme with a redirection to the same host, path and query over this one (RFC 9110 section 15.4).
 *
 * @param scheme that clients are sent to
 * @param status of the redirection
 * @param port of the scheme, as URLs have it: with a colon, or empty
 * @param except what begins with one of these passes
 */
record SchemeRedirect(String scheme, int status, String port, List<Ascii> except) implements Plugin {
    private static final Outcome NO_HOST = Outcome.respond(Response.line(400, "The request names no host."));
    private static final int PORT_MAX = 65_535;

    /**
     * What a plugin does where its settings leave something out.
     *
     * @param statuses that there may be, the first where none is written
     * @param port of the scheme
     * @param except what passes
     */
    record Defaults(String scheme, List<Integer> statuses, int port, List<String> except) {}

    /** One with the settings {@code status}, {@code port} and {@code except}. */
    static SchemeRedirect of(Settings settings, Defaults defaults) {
        long status = settings.get("status").integer(defaults.statuses.getFirst());
        if (!defaults.statuses.contains((int) status)) {
            String last =
                    String.valueOf(defaults.statuses.stream().sorted().toList().getLast());
            String others = String.join(
                    ", ",
                    defaults.statuses.stream()
                            .sorted()
                            .map(String::valueOf)
                            .filter(each -> !each.equals(last))
                            .toList());
            throw settings.get("status").unexpected(others + " or " + last);
        }
        long port = settings.get("port").integer(defaults.port);
        if (port < 1 || port > PORT_MAX) {
            throw settings.get("port").unexpected("1 to 65535");
        }
        List<Ascii> except = new ArrayList<>();
        if (settings.get("except").isPresent()) {
            for (Settings each : settings.get("except").elements()) {
                except.add(prefix(each));
            }
        } else {
            defaults.except.forEach(each -> except.add(Ascii.of(each)));
        }
        return new SchemeRedirect(
                defaults.scheme, (int) status, port == defaults.port ? "" : ":" + port, List.copyOf(except));
    }

    private static Ascii prefix(Settings settings) {
        String prefix = settings.string();
        if (!prefix.startsWith("/")) {
            throw settings.unexpected("the beginning of a path");
        }
        return Ascii.of(prefix);
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        if (request.scheme().equals(scheme)) {
            return Outcome.CONTINUE;
        }
        String received = request.receivedPath();
        if (scheme.equals("http") && (request.path().indexOf(';') >= 0 || received.indexOf(';') >= 0)) {
            // Parameters of segments, which routes pass over, aren't to get something round what is excepted.
            return Outcome.CONTINUE;
        }
        if (isExcepted(request)) {
            return Outcome.CONTINUE;
        }
        String authority = request.authority();
        if (authority.isEmpty()) {
            return NO_HOST;
        }
        String path = received.equals("*") ? "" : received;
        String asked = request.receivedQuery();
        String query = asked == null ? "" : "?" + asked;
        String location = scheme + "://" + host(authority) + port + path + query;
        return Outcome.respond(Response.of(status, Field.of("Location", location)));
    }

    /** Where it is sent into the clear, it isn't if either path says so: the one of here, and the one that the client wrote. */
    private boolean isExcepted(RequestHead request) {
        for (Ascii prefix : except) {
            boolean here = request.pathStartsWith(prefix);
            if (here || (scheme.equals("http") && request.receivedPath().startsWith(prefix.toString()))) {
                return true;
            }
        }
        return false;
    }

    /** The port is that of the other scheme. */
    private static String host(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    }
}
