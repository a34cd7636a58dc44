package net.oooops.sigma.route;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one listener, compiled. A match costs the same with ten routes as with ten thousand, and allocates nothing unless
 * a route has conditions on fields or the query, or none is found.
 *
 * <p>Which route is taken:
 *
 * <ol>
 *   <li>The host chooses a group of routes: those of exactly this virtual host; where there are none, those of the longest
 *       wildcard ({@code *.example.com} is every depth below example.com, not example.com itself); where there are none, those of
 *       any host. Routes of another group are not looked at, even where this one has no match. Routes with the same virtual host are
 *       one group, in the order written.
 *   <li>Of the group's routes whose path matches, the most specific comes first: an exact path, then paths with parameters,
 *       compared segment by segment from the left (literal before parameter), then prefixes, the one with most segments
 *       first; among equals the one written first. Parameters of a segment ({@code ;v=1}) in the request are passed over. Letter case counts.
 *   <li>The first of these is taken that takes the method, the Content-Type and Accept, and whose conditions hold.
 * </ol>
 *
 * <p>Where none is: 405 if none of those with this path takes the method; else, of those that take it, 406 if one fails only at
 * Accept, else 415 if one fails at the Content-Type, else 404.
 *
 * <p>Immutable, shared by all Workers.
 */
public final class RouteTable<T> {
    private final HostIndex hosts;
    private final List<RouteGroup<T>> groups;

    private RouteTable(HostIndex hosts, List<RouteGroup<T>> groups) {
        this.hosts = hosts;
        this.groups = List.copyOf(groups);
    }

    /**
     * Compiles the rules of one listener, in the order written.
     *
     * @throws IllegalArgumentException where a rule's host, path, method, media type or condition is none; the message shows it
     */
    public static <T> RouteTable<T> of(List<RouteRule<T>> rules) {
        Map<String, List<RouteRule<T>>> byHost = new LinkedHashMap<>();
        Map<String, String> spelled = new HashMap<>();
        for (RouteRule<T> rule : rules) {
            byHost.computeIfAbsent(host(rule.host(), spelled), _ -> new ArrayList<>())
                    .add(rule);
        }
        List<RouteGroup<T>> groups = new ArrayList<>();
        byHost.forEach((host, own) -> groups.add(new RouteGroup<>(host, own)));
        return new RouteTable<>(HostIndex.of(List.copyOf(byHost.keySet())), groups);
    }

    private static String host(@Nullable String written, Map<String, String> spelled) {
        return written == null ? RouteGroup.ANY_HOST : spelled.computeIfAbsent(written, HostIndex::canonical);
    }

    /** Finds the route of a request and leaves it, or why there is none, in {@code result}. */
    public void match(RouteQuery request, RouteMatch<T> result) {
        RouteGroup<T> group = group(request);
        if (group == null) {
            result.miss(RouteMatch.Miss.NO_ROUTE, "");
        } else {
            group.match(request, result);
        }
    }

    /** Whether any of its routes takes CONNECT: those do that name it and are for all paths, since it has none. */
    public boolean takesConnect() {
        return groups.stream().anyMatch(RouteGroup::takesConnect);
    }

    /** Says how {@link #match} comes to its result. Allocates; for people, not for requests. */
    public Explanation<T> explain(RouteQuery request) {
        return Explainer.explain(groups, group(request), request);
    }

    /**
     * The Allow field for a method that no route may take (RFC 9110 section 10.2.1): what routes with this path take; where they
     * take every method, or there are none, the usual ones. Allocates.
     */
    public String allow(RouteQuery request) {
        RouteGroup<T> group = group(request);
        return RouteGroup.allowOfAny(group == null ? List.of() : group.candidates(request));
    }

    private @Nullable RouteGroup<T> group(RouteQuery request) {
        int group = hosts.find(request.hostBytes(), request.hostStart(), request.hostEnd());
        return group < 0 ? null : groups.get(group);
    }
}
