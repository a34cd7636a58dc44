package net.oooops.sigma.route;

import java.util.List;
import java.util.Objects;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.config.ValueMatch;
import org.jspecify.annotations.Nullable;

/**
 * One route as written. A list that is empty sets no condition; all conditions have to hold.
 *
 * @param id names the route in explanations
 * @param host exact ({@code www.example.com}), every depth below a domain ({@code *.example.com}), or null for any host
 * @param path exact {@code /a/b}, prefix {@code /a/*}, parameter {@code /a/:id/c}, or {@code *}; see {@link RoutePath}
 * @param methods method tokens; GET takes HEAD with it
 * @param consumes media ranges that the request's Content-Type has to be in; parameters do not count
 * @param produces media types of which the request's Accept has to admit one; parameters do not count
 * @param headers conditions on header fields
 * @param query conditions on query parameters
 * @param target where the route leads
 */
public record RouteRule<T>(
        String id,
        @Nullable String host,
        String path,
        List<String> methods,
        List<String> consumes,
        List<String> produces,
        List<ValueMatch> headers,
        List<ValueMatch> query,
        T target) {

    public RouteRule {
        methods = List.copyOf(methods);
        consumes = List.copyOf(consumes);
        produces = List.copyOf(produces);
        headers = List.copyOf(headers);
        query = List.copyOf(query);
        Objects.requireNonNull(target, "target");
    }

    /** A route of a configuration on that host. */
    public static <T> RouteRule<T> of(RouteConfig route, @Nullable String host, T target) {
        return new RouteRule<>(
                route.id(),
                host,
                route.path(),
                route.allowMethods(),
                route.consumes(),
                route.produces(),
                route.headers(),
                route.queries(),
                target);
    }

    /** A route without conditions but host and path. */
    public static <T> RouteRule<T> plain(String id, @Nullable String host, String path, T target) {
        return new RouteRule<>(id, host, path, List.of(), List.of(), List.of(), List.of(), List.of(), target);
    }
}
