package net.oooops.sigma.config;

import java.util.List;
import java.util.Locale;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** That the bounds of an upstream's breaker go together, and that its backups have something to stand in for. */
final class BreakerCheck {
    private static final List<String> OF_ERRORS = List.of("interval", "min-requests", "open-time", "trials");
    private static final String REQUESTS = "max-requests";

    private final Json root;
    private final Problems problems;

    BreakerCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    void check() {
        for (Json upstream : root.itemsOf("upstream")) {
            Json breaker = upstream.get("breaker");
            if (breaker != null && !problems.has(breaker)) {
                breaker(breaker, ProtocolCheck.protocol(upstream));
            }
            backups(upstream.itemsOf("nodes"), problems);
        }
    }

    private void breaker(Json breaker, Protocol protocol) {
        if (protocol != Protocol.HTTP) {
            String with = protocol.name().toLowerCase(Locale.ROOT) + "://";
            problems.key(breaker, "\"breaker\"", "no such key with " + with + " nodes", null);
            return;
        }
        for (String key : OF_ERRORS) {
            Json value = breaker.get(key);
            if (value != null && breaker.get("error-rate") == null) {
                problems.key(value, Json.quoted(key), "\"error-rate\" beside it; it never opens without", null);
            }
        }
        below(breaker.get("max-pending"), breaker.get(REQUESTS), 1, "requests that wait are among them");
        below(breaker.get("max-retries"), breaker.get(REQUESTS), 0, "requests sent again are among them");
        Json adaptive = breaker.get("adaptive");
        if (adaptive != null && !problems.has(adaptive)) {
            BreakerConfig.Adaptive otherwise = BreakerConfig.Adaptive.DEFAULT;
            Json least = adaptive.get("min-limit");
            Json most = adaptive.get("max-limit");
            below(least, breaker.get(REQUESTS), 0, "it holds whatever is found out");
            below(least, most, 0, "");
            atLeast(most, least, otherwise.limitMin());
            atMost(least, most, otherwise.limitMax());
        }
    }

    private void below(@Nullable Json value, @Nullable Json bound, int by, String why) {
        if (value != null
                && bound != null
                && isFit(value)
                && isFit(bound)
                && value.number().intValue() > bound.number().intValue() - by) {
            String relation = by == 0 ? "<= " : "< ";
            String which = ", which " + Json.quoted(bound.step()) + " is";
            problems.value(value, relation + bound.shown() + which + (why.isEmpty() ? "" : "; " + why));
        }
    }

    private void atLeast(@Nullable Json value, @Nullable Json least, int otherwise) {
        if (least == null && value != null && isFit(value) && value.number().intValue() < otherwise) {
            problems.value(value, ">= " + otherwise + ", which \"min-limit\" is where it is left out");
        }
    }

    private void atMost(@Nullable Json value, @Nullable Json most, int otherwise) {
        if (most == null && value != null && isFit(value) && value.number().intValue() > otherwise) {
            problems.value(value, "<= " + otherwise + ", which \"max-limit\" is where it is left out");
        }
    }

    private boolean isFit(Json value) {
        return value.isInteger() && !problems.has(value);
    }

    /** Not all nodes are backups. */
    static void backups(List<Json> nodes, Problems problems) {
        Json last = null;
        for (Json node : nodes) {
            boolean object = node.kind() == Json.Kind.OBJECT;
            if (!object || !node.flag("backup", false)) {
                return;
            }
            last = node.get("backup");
        }
        if (last != null) {
            problems.value(last, "at least one node that is no backup");
        }
    }
}
