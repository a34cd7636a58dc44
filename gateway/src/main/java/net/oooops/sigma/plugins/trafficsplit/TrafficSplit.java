package net.oooops.sigma.plugins.trafficsplit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import org.jspecify.annotations.Nullable;

/**
 * Sends each request the way that its draw falls to, and where a cookie is to keep clients on theirs, the way that theirs names.
 *
 * @param shares the ways, of which the last is the route's own
 * @param cookieName of the cookie; null where there is none
 */
record TrafficSplit(Draw draw, List<Share> shares, @Nullable String cookieName) implements Plugin {
    private static final FieldName COOKIE = FieldName.of("Cookie");

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
        if (share instanceof Share drawn && drawn.cookie() != null) {
            exchange.response().add(drawn.cookie());
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

    /** The way that the client's cookie names, if it has any left to it: null where there is none. */
    private @Nullable Share named(Exchange exchange, String name) {
        List<String> fields = exchange.request().values(COOKIE);
        for (String field : fields) {
            int at = 0;
            while (at < field.length()) {
                int semicolon = field.indexOf(';', at);
                int end = semicolon < 0 ? field.length() : semicolon;
                Share share = named(field.substring(at, end).strip(), name);
                if (share != null) {
                    return share;
                }
                at = end + 1;
            }
        }
        return null;
    }

    private @Nullable Share named(String pair, String name) {
        if (!pair.startsWith(name) || pair.length() == name.length() || pair.charAt(name.length()) != '=') {
            return null;
        }
        String value = pair.substring(name.length() + 1);
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
