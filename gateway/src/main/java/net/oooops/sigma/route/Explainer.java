package net.oooops.sigma.route;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.route.Explanation.Candidate;
import org.jspecify.annotations.Nullable;

/** Goes the way of a match once more and says at each route what became of it. */
final class Explainer<T> {
    private final RouteQuery request;
    private final List<Candidate<T>> said = new ArrayList<>();
    private @Nullable RouteRule<T> winner;
    private Verdict furthest = Verdict.PATH;

    private Explainer(RouteQuery request) {
        this.request = request;
    }

    static <T> Explanation<T> explain(List<RouteGroup<T>> groups, @Nullable RouteGroup<T> chosen, RouteQuery request) {
        Explainer<T> explainer = new Explainer<>(request);
        List<CompiledRoute<T>> candidates = chosen == null ? List.of() : chosen.candidates(request);
        candidates.forEach(explainer::judge);
        if (chosen != null) {
            Set<CompiledRoute<T>> judged = new HashSet<>(candidates);
            explainer.rest(
                    chosen.routes().stream()
                            .filter(route -> !judged.contains(route))
                            .toList(),
                    Verdict.PATH);
        }
        for (RouteGroup<T> group : groups) {
            if (group != chosen) {
                explainer.rest(group.routes(), Verdict.HOST);
            }
        }
        return explainer.explanation(chosen == null ? null : chosen.host(), RouteGroup.allow(candidates));
    }

    private void judge(CompiledRoute<T> route) {
        Verdict verdict = route.judge(request);
        if (verdict == Verdict.WINS && winner != null) {
            verdict = Verdict.LESS_SPECIFIC;
        } else if (verdict == Verdict.WINS) {
            winner = route.rule();
        }
        furthest = Misses.further(furthest, verdict);
        say(route, verdict);
    }

    private void rest(List<CompiledRoute<T>> routes, Verdict verdict) {
        routes.forEach(route -> say(route, verdict));
    }

    private void say(CompiledRoute<T> route, Verdict verdict) {
        said.add(new Candidate<>(route.rule(), verdict, route.reason(request, verdict)));
    }

    private Explanation<T> explanation(@Nullable String host, String allow) {
        if (winner != null) {
            return new Explanation<>(host, said, winner, null, "");
        }
        RouteMatch.Miss miss = Misses.of(furthest);
        return new Explanation<>(host, said, null, miss, miss == RouteMatch.Miss.METHOD_NOT_ALLOWED ? allow : "");
    }
}
