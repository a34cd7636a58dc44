package net.oooops.sigma.lab.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.route.RouteMatch;
import net.oooops.sigma.route.RouteRule;
import net.oooops.sigma.route.RouteTable;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One match in tables of different sizes: a third of the routes exact, a third with a parameter, a third prefixes.
 *
 * <p>{@code one} asks for the same path in the middle of the table again and again: the cost of the algorithm. {@code spread} asks for
 * up to 1,024 paths all over the table: with what the processor's caches add where a table outgrows them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class RouteTableBenchmark {
    private static final int PATHS_MAX = 1024;

    /** What is asked for. */
    public enum Case {
        EXACT("/api/v1/r%05d/items"),
        PARAMETER("/api/v1/r%05d/123456/items"),
        PREFIX("/static/r%05d/css/main.css"),
        MISS("/api/v1/r%05d/nothing");

        private final String path;

        Case(String path) {
            this.path = path;
        }

        String path(int route) {
            return String.format(Locale.ROOT, path, route);
        }
    }

    @Param({"10", "1000", "10000"})
    private int routes;

    @Param
    private Case asked = Case.EXACT;

    private final RouteMatch<Integer> match = new RouteMatch<>();
    private RouteTable<Integer> table = RouteTable.of(List.of());
    private PathRequest[] spread = {};
    private PathRequest one = new PathRequest("", "/");
    private int turn;

    @Setup
    public void fill() {
        List<RouteRule<Integer>> rules = new ArrayList<>();
        for (int i = 0; rules.size() < routes; i++) {
            rules.add(rule(i, "/api/v1/r%05d/items"));
            rules.add(rule(i, "/api/v1/r%05d/:id/items"));
            rules.add(rule(i, "/static/r%05d/*"));
        }
        table = RouteTable.of(rules);
        int paths = Math.min(routes / 3, PATHS_MAX);
        spread = new PathRequest[paths];
        for (int i = 0; i < paths; i++) {
            spread[i] = request((int) ((long) i * (routes / 3) / paths));
        }
        one = request(routes / 6);
        table.match(one, match);
        if ((match.target() == null) != (asked == Case.MISS)) {
            throw new IllegalStateException(asked + ": " + match.target());
        }
    }

    private static RouteRule<Integer> rule(int number, String path) {
        String written = String.format(Locale.ROOT, path, number);
        return RouteRule.plain(written, null, written, number);
    }

    private PathRequest request(int route) {
        return new PathRequest("www.example.com", asked.path(route));
    }

    @Benchmark
    public @Nullable Integer one() {
        table.match(one, match);
        return match.target();
    }

    @Benchmark
    public @Nullable Integer spread() {
        turn = turn + 1 == spread.length ? 0 : turn + 1;
        table.match(spread[turn], match);
        return match.target();
    }
}
