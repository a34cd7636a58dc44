package net.oooops.sigma.plugins.csrf;

import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that may change something and that a browser sends for a page of another origin. What browsers say of that themselves counts (W3C
 * Fetch Metadata); where they say nothing, Origin or else Referer has to have the host that is asked. What has neither comes from no browser of these
 * years, or from none at all, and passes: who isn't a browser has no visitor's cookies to abuse.
 */
final class Csrf implements Plugin {
    private static final FieldName SEC_FETCH_SITE = FieldName.of("Sec-Fetch-Site");
    private static final FieldName ORIGIN = FieldName.of("Origin");
    private static final FieldName REFERER = FieldName.of("Referer");
    private static final FieldName UPGRADE = FieldName.of("Upgrade");
    /** More than one where there may be one: nobody knows which one the node takes. */
    private static final String SEVERAL = "";

    private final Set<String> trusted;
    private final boolean sameSite;
    private final boolean webSockets;
    private final List<Exempt> exempt;
    private final Outcome refused;

    /**
     * Paths that are left alone.
     *
     * @param text the path, or what it begins with
     */
    record Exempt(Ascii text, boolean isBeginning) {
        boolean has(RequestHead request) {
            // Parameters of segments are the node's to understand: none is exempt by what it may pass over.
            return request.pathStartsWith(text)
                    && (isBeginning || request.path().length() == text.length())
                    && request.path().indexOf(';') < 0;
        }
    }

    /**
     * @param trusted origins whose pages may
     * @param sameSite whether pages of the same site may
     * @param webSockets whether a handshake of a WebSocket counts as what changes something
     */
    Csrf(Set<String> trusted, boolean sameSite, boolean webSockets, List<Exempt> exempt, Outcome refused) {
        this.trusted = Set.copyOf(trusted);
        this.sameSite = sameSite;
        this.webSockets = webSockets;
        this.exempt = List.copyOf(exempt);
        this.refused = refused;
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        return (isSafe(request, request.receivedMethod()) && isSafe(request, request.method()))
                        || isOfThisOrigin(request)
                        || isExempt(request)
                ? Outcome.CONTINUE
                : refused;
    }

    /** Of the method that a browser has sent, and of one that a plugin has made of it. */
    private boolean isSafe(RequestHead request, String method) {
        return switch (method) {
            case "GET" -> !(webSockets && request.has(UPGRADE));
            case "HEAD", "OPTIONS" -> true;
            default -> false;
        };
    }

    private boolean isOfThisOrigin(RequestHead request) {
        String site = only(request, SEC_FETCH_SITE);
        if (site != null) {
            return site.equals("same-origin") || site.equals("none") || (sameSite && site.equals("same-site"));
        }
        String origin = only(request, ORIGIN);
        if (origin != null) {
            return origin.indexOf('/', Authority.scheme(origin).length()) < 0 && isHost(origin, request);
        }
        String referer = only(request, REFERER);
        return referer == null || isHost(referer, request);
    }

    /** The scheme is left out: who ends TLS in front of the gateway may not have said so. */
    private static boolean isHost(String url, RequestHead request) {
        String authority = Authority.of(url);
        String asked = request.authority();
        return authority != null
                && !asked.isEmpty()
                && Authority.withoutPort(authority, Authority.scheme(url))
                        .equalsIgnoreCase(Authority.withoutPort(asked, Authority.scheme(url)));
    }

    private static @Nullable String only(RequestHead request, FieldName name) {
        if (!request.has(name)) {
            return null;
        }
        List<String> values = request.values(name);
        return values.size() == 1 ? values.getFirst() : SEVERAL;
    }

    private boolean isExempt(RequestHead request) {
        String origin = only(request, ORIGIN);
        if (origin != null && trusted.contains(origin)) {
            return true;
        }
        for (Exempt each : exempt) {
            if (each.has(request)) {
                return true;
            }
        }
        return false;
    }
}
