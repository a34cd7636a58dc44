package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.proxy.RequestValidation.Result;
import net.oooops.sigma.route.RouteMatch;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/** The first stages of a request on one Listener: whether it is one that may go on, and where to. Belongs to one Worker. */
final class Routing {
    private final HttpProxy proxy;
    private final HttpListenerPlan plan;
    private final RequestValidation validation;
    private final RouteMatch<RoutePlan> match = new RouteMatch<>();

    Routing(HttpRoad road, HttpProxy proxy) {
        this.proxy = proxy;
        this.plan = proxy.plan;
        this.validation = new RequestValidation(
                road.normalizer(),
                road.identity(),
                plan.listener().limits().passesMax(),
                plan.routes().takesConnect());
    }

    RequestValidation validation() {
        return validation;
    }

    /** Judges a request; where it isn't valid, it has been answered. */
    boolean isValid(HttpExchange x) {
        TlsSession tls = x.peer.tls();
        if (plan.tls() != null && tls == null) {
            proxy.failing.refuse(x, Refusal.PLAIN_HTTP);
            return false;
        }
        x.request.head.secure(tls != null);
        Result result = judge(x);
        Refusal refusal = result.refusal();
        Fault fault = result.fault();
        if (result == Result.METHOD) {
            x.request.missed(Fault.METHOD_NOT_ALLOWED, plan.routes().allow(x.request.query));
        }
        if (refusal != null) {
            proxy.failing.refuse(x, refusal);
        } else if (fault != null) {
            proxy.failing.fail(x, fault, result.text());
        }
        if (result != Result.VALID || tls == null || x.request.head.isAuthorityForm()) {
            // Of a CONNECT the authority isn't the host that the connection is for.
            return result == Result.VALID;
        }
        return isInPlace(x, tls);
    }

    private Result judge(HttpExchange x) {
        Result result = validation.validate(x.request.head);
        x.request.query.host(validation.hostEnd());
        if (result == Result.VALID && x.request.head.isAuthorityForm()) {
            plan.routes().match(x.request.query, match);
            return match.target() == null ? Result.METHOD : Result.VALID;
        }
        return result;
    }

    private boolean isInPlace(HttpExchange x, TlsSession tls) {
        HttpRequestHead head = x.request.head;
        if (tls.isMisdirected(head.received(), head.authorityStart(), x.request.query.hostEnd())) {
            proxy.failing.fail(x, Fault.MISDIRECTED, "not the host that the connection is for");
            return false;
        }
        return true;
    }

    /** Finds its Route; where there is none, why is remembered for after the plugins. */
    void route(HttpExchange x) {
        x.request.head.target().routed();
        plan.routes().match(x.request.query, match);
        RoutePlan found = match.target();
        if (found == null && match.miss() == RouteMatch.Miss.METHOD_NOT_ALLOWED) {
            x.request.missed(Fault.METHOD_NOT_ALLOWED, match.allow());
            found = routePreflight(x);
        }
        if (found != null) {
            x.plan = found;
            return;
        }
        x.plan = plan.unrouted();
        switch (match.miss()) {
            case NO_ROUTE -> x.request.missed(Fault.NO_ROUTE, "");
            case METHOD_NOT_ALLOWED -> {
                // Remembered above, with the methods that are.
            }
            case UNSUPPORTED_MEDIA_TYPE -> x.request.missed(Fault.UNSUPPORTED_MEDIA_TYPE, "");
            case NOT_ACCEPTABLE -> x.request.missed(Fault.NOT_ACCEPTABLE, "");
        }
    }

    /** The Route of the method that a preflight asks for: for its plugins only; nothing goes upstream. */
    private @Nullable RoutePlan routePreflight(HttpExchange x) {
        if (!Preflight.isOne(x.request.head)) {
            return null;
        }
        x.request.query.asPreflight(true);
        plan.routes().match(x.request.query, match);
        x.request.query.asPreflight(false);
        RoutePlan found = match.target();
        return found == null ? plan.unrouted() : found;
    }
}
