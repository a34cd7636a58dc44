package net.oooops.sigma.route;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one Listener of TCP, compiled: tried in the order written, the first whose conditions hold takes the session.
 *
 * <p>Immutable, for all Workers.
 *
 * @param <T> where a route leads
 */
public final class HelloRoutes<T> {
    private static final String WILDCARD = "*.";

    /**
     * One route.
     *
     * @param hosts one of which the client asks for (SNI), in whatever case; {@code *.} before a domain is for every name below it; none: any,
     *     and a client that asks for none
     * @param protocols one of which the client speaks (ALPN); none: any
     */
    public record Rule<T>(String id, List<String> hosts, List<String> protocols, T target) {
        public Rule {
            hosts = List.copyOf(hosts);
            protocols = List.copyOf(protocols);
        }
    }

    private final List<Compiled<T>> routes = new ArrayList<>();
    private final @Nullable T otherwise;

    /**
     * Compiles routes.
     *
     * @param otherwise where a session goes that none takes; null: nowhere
     */
    public HelloRoutes(List<Rule<T>> rules, @Nullable T otherwise) {
        rules.forEach(rule -> routes.add(new Compiled<>(rule)));
        this.otherwise = otherwise;
    }

    /** Whether it has to be known what a client asks for. */
    public boolean areAny() {
        return !routes.isEmpty();
    }

    /**
     * Where the first route leads that takes a session.
     *
     * @param host that the client asks for, in lower case; null where it asks for none
     * @param protocols that it speaks
     * @return null where none takes it
     */
    public @Nullable T match(@Nullable String host, List<String> protocols) {
        for (int i = 0; i < routes.size(); i++) {
            Compiled<T> route = routes.get(i);
            if (route.holds(host, protocols)) {
                return route.rule.target();
            }
        }
        return otherwise;
    }

    /** The routes in their order. */
    public List<Rule<T>> rules() {
        return routes.stream().map(route -> route.rule).toList();
    }

    /** Where a session goes that no route takes; null: nowhere. */
    public @Nullable T otherwise() {
        return otherwise;
    }

    /** A rule ready to be asked. */
    private static final class Compiled<T> {
        private final Rule<T> rule;
        private final Set<String> exact = new HashSet<>();
        /** What stands behind {@code *}, with its dot. */
        private final Set<String> domains = new HashSet<>();

        Compiled(Rule<T> rule) {
            this.rule = rule;
            for (String host : rule.hosts()) {
                String lower = host.toLowerCase(Locale.ROOT);
                if (lower.startsWith(WILDCARD)) {
                    domains.add(lower.substring(WILDCARD.length() - 1));
                } else {
                    exact.add(lower);
                }
            }
        }

        boolean holds(@Nullable String host, List<String> spoken) {
            return (rule.hosts().isEmpty() || (host != null && isOne(host)))
                    && (rule.protocols().isEmpty() || spoken.stream().anyMatch(rule.protocols()::contains));
        }

        private boolean isOne(String host) {
            if (exact.contains(host)) {
                return true;
            }
            for (int dot = host.indexOf('.', 1); dot > 0 && !domains.isEmpty(); dot = host.indexOf('.', dot + 1)) {
                if (domains.contains(host.substring(dot))) {
                    return true;
                }
            }
            return false;
        }
    }
}
