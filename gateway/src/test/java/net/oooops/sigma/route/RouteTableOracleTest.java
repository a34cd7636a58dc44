package net.oooops.sigma.route;

import static net.oooops.sigma.route.TestRequest.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.oooops.sigma.config.ValueMatch;
import org.junit.jupiter.api.Test;

/** The table against the definition of its order, applied route by route, over random routes and paths. */
class RouteTableOracleTest {
    private static final int TABLES = 2_000;
    private static final int PATHS = 20;
    private static final List<String> SEGMENTS = List.of("a", "b", "Aa", "BB"); // the last two have one hash

    private record Written(int order, RoutePath path, boolean taken) {}

    private final Random random = new Random(7);

    @Test
    void agreesWithTheDefinition() {
        for (int i = 0; i < TABLES; i++) {
            List<Written> written = IntStream.range(0, 1 + random.nextInt(12))
                    .mapToObj(order -> new Written(order, RoutePath.of(randomRoute()), random.nextInt(4) > 0))
                    .toList();
            RouteTable<Written> table = RouteTable.of(
                    written.stream().map(RouteTableOracleTest::rule).toList());
            RouteMatch<Written> match = new RouteMatch<>();
            for (int j = 0; j < PATHS; j++) {
                String path = randomPath();
                table.match(get(path), match);
                List<Written> expected = ordered(written, path);
                assertThat(match.target())
                        .as("%s in %s", path, written)
                        .isEqualTo(expected.stream()
                                .filter(Written::taken)
                                .findFirst()
                                .orElse(null));
                assertThat(table.explain(get(path)).candidates().subList(0, expected.size()))
                        .as("%s in %s", path, written)
                        .extracting(candidate -> candidate.rule().target())
                        .isEqualTo(expected);
            }
        }
    }

    /** One that is not taken has a condition that never holds. */
    private static RouteRule<Written> rule(Written written) {
        List<ValueMatch> never = List.of(new ValueMatch("never", ValueMatch.Kind.PRESENT, ""));
        return new RouteRule<>(
                "r" + written.order,
                null,
                written.path.text(),
                List.of(),
                List.of(),
                List.of(),
                written.taken ? List.of() : never,
                List.of(),
                written);
    }

    private String randomRoute() {
        StringBuilder path = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            path.append('/').append(random.nextInt(3) == 0 ? ":p" : SEGMENTS.get(random.nextInt(SEGMENTS.size())));
        }
        return switch (random.nextInt(4)) {
            case 0 -> path + "/*";
            case 1 -> path + "/";
            default -> path.isEmpty() ? "/" : path.toString();
        };
    }

    private String randomPath() {
        StringBuilder path = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            path.append('/').append(random.nextInt(6) == 0 ? "x" : SEGMENTS.get(random.nextInt(SEGMENTS.size())));
        }
        return path.isEmpty() || random.nextInt(5) == 0 ? path + "/" : path.toString();
    }

    private static List<Written> ordered(List<Written> written, String path) {
        List<String> segments = List.of(path.substring(1).split("/", -1));
        List<Written> matching = new ArrayList<>(
                written.stream().filter(each -> matches(each.path, segments)).toList());
        matching.sort(Comparator.comparing((Written each) -> each.path.isPrefix())
                .thenComparing(each -> -each.path.segments().size())
                .thenComparing(each -> parametersFromTheLeft(each.path))
                .thenComparing(Written::order));
        return matching;
    }

    private static boolean matches(RoutePath route, List<String> path) {
        List<String> segments = route.segments();
        if (route.isPrefix() ? path.size() < segments.size() : path.size() != segments.size()) {
            return false;
        }
        return IntStream.range(0, segments.size())
                .allMatch(i -> segments.get(i).startsWith(":")
                        ? !path.get(i).isEmpty()
                        : segments.get(i).equals(path.get(i)));
    }

    /** 0 for a literal, 1 for a parameter: in the order of letters, literal before parameter from the left. */
    private static String parametersFromTheLeft(RoutePath route) {
        StringBuilder marks = new StringBuilder();
        route.segments().forEach(segment -> marks.append(segment.startsWith(":") ? '1' : '0'));
        return marks.toString();
    }
}
