package net.oooops.sigma.route;

import java.util.List;
import net.oooops.sigma.route.RouteMatch.Miss;
import org.jspecify.annotations.Nullable;

/**
 * How a request found its route, or did not: what {@code sigma explain} prints. Immutable.
 *
 * @param hostGroup the virtual host whose routes were looked at, as written; {@code *} for routes of any host; null where
 *     the table has no routes for the request's host
 * @param candidates every route of the table: first those whose path matches, most specific first; then the others of
 *     the host in the order written; then those of other hosts
 * @param winner the route that is taken, or null
 * @param miss why none is taken; null where one is
 * @param allow the methods that would be allowed, for {@link Miss#METHOD_NOT_ALLOWED}, else empty
 */
public record Explanation<T>(
        @Nullable String hostGroup,
        List<Candidate<T>> candidates,
        @Nullable RouteRule<T> winner,
        @Nullable Miss miss,
        String allow) {

    public Explanation {
        candidates = List.copyOf(candidates);
    }

    /**
     * One route and what became of it.
     *
     * @param reason what was found and what was expected, such as {@code content-type: text/plain (expected: text/html)};
     *     empty for WINS and LESS_SPECIFIC
     */
    public record Candidate<T>(RouteRule<T> rule, Verdict verdict, String reason) {}
}
