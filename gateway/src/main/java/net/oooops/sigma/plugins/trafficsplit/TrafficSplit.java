package net.oooops.sigma.plugins.trafficsplit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import org.jspecify.annotations.Nullable;

/**
 * Sends each request the way that its draw falls to, and where a cookie is to keep clients on theirs, the way that theirs names.
 *
 * @param shares the ways, of which the last is the route's own
 * @param cookieName of the cookie that does; null where there is none
 */
record TrafficSplit(Draw draw, List<Share> shares, @Nullable CookieName cookieName) implements Plugin {
    @Override
    public Needs needs() {
        boolean keeps = cookieName != null;
        return new Needs(true, keeps, false, BodyNeed.NONE, BodyNeed.NONE, false);
    }

    @Override
    public List<String> targets() {
        List<String> targets = new ArrayList<>();
        for (Share share : shares) {
            if (share.target() != null && !targets.contains(share.target())) {
                targets.add(share.target());
            }
        }
        return targets;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        Share named = cookieName == null ? null : named(exchange, cookieName);
        Share share = named == null ? drawn(draw.of(exchange)) : named;
        String target = share.target();
        boolean there = target == null || exchange.target(target);
        if (cookieName != null && named == null && there) {
            exchange.attach(this, share);
        }
        return Outcome.CONTINUE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        Object share = exchange.attachment(this);
        if (share instanceof Share drawn) {
            boolean secure = exchange.request().scheme().equals("https");
            Field cookie = secure ? drawn.secureCookie() : drawn.cookie();
            if (cookie != null) {
                exchange.response().add(cookie);
            }
        }
        return Outcome.CONTINUE;
    }

    private Share drawn(int draw) {
        for (int i = 0; i < shares.size() - 1; i++) {
            if (draw < shares.get(i).upTo()) {
                return shares.get(i);
            }
        }
        return shares.getLast();
    }

    /** The way that the client's cookie names, if it has any left to it: null where there is none. Of several, the first that names one counts. */
    private @Nullable Share named(Exchange exchange, CookieName name) {
        List<String> values = exchange.request().cookies(name);
        for (int i = 0; i < values.size(); i++) {
            Share share = named(values.get(i));
            if (share != null) {
                return share;
            }
        }
        return null;
    }

    private @Nullable Share named(String value) {
        int before = 0;
        for (Share share : shares) {
            if (share.upTo() > before && Objects.equals(Share.value(share.target()), value)) {
                return share;
            }
            before = share.upTo();
        }
        return null;
    }
}
