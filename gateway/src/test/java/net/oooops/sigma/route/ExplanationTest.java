package net.oooops.sigma.route;

import static net.oooops.sigma.route.TestRequest.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.oooops.sigma.config.ValueMatch;
import net.oooops.sigma.config.ValueMatch.Kind;
import net.oooops.sigma.route.RouteMatch.Miss;
import org.junit.jupiter.api.Test;

class ExplanationTest {
    private static final List<String> NONE = List.of();

    private static RouteRule<String> rule(
            String id, List<String> methods, List<String> consumes, List<String> produces) {
        return new RouteRule<>(id, "a.org", "/a", methods, consumes, produces, List.of(), List.of(), id);
    }

    private static RouteRule<String> rule(String id, List<ValueMatch> headers, List<ValueMatch> query) {
        return new RouteRule<>(id, "a.org", "/a", NONE, NONE, NONE, headers, query, id);
    }

    private static List<String> lines(Explanation<String> explanation) {
        return explanation.candidates().stream()
                .map(each -> (each.rule().id() + " " + each.verdict() + " " + each.reason()).strip())
                .toList();
    }

    private static final List<RouteRule<String>> RULES = List.of(
            RouteRule.plain("other-path", "a.org", "/b", "other-path"),
            RouteRule.plain("other-host", "b.org", "/a", "other-host"),
            RouteRule.plain("any-host", null, "/a", "any-host"),
            RouteRule.plain("prefix", "a.org", "/*", "prefix"),
            rule("method", List.of("GET"), NONE, NONE),
            rule("consumes", NONE, List.of("text/plain", "text/html"), NONE),
            rule("produces", NONE, NONE, List.of("text/html")),
            rule("header", List.of(new ValueMatch("X-V", Kind.EXACT, "2")), List.of()),
            rule("query", List.of(), List.of(new ValueMatch("q", Kind.REGEXP, "[0-9]+"))),
            RouteRule.plain("exact", "a.org", "/a", "exact"));

    private static final RouteQuery REQUEST = request("POST", "/a")
            .host("A.org")
            .header("Content-Type", "image/png")
            .header("Accept", "image/*");

    @Test
    void eachRouteHasItsReasonInTheOrderOfTheMatch() {
        Explanation<String> explanation = RouteTable.of(RULES).explain(REQUEST);
        assertThat(lines(explanation))
                .containsExactly(
                        "method METHOD method (expected: GET, HEAD)",
                        "consumes CONSUMES content-type: image/png (expected: text/plain, text/html)",
                        "produces PRODUCES accept: image/* (expected: text/html)",
                        "header HEADER header X-V: absent (expected: 2)",
                        "query QUERY query: absent (expected: q regexp [0-9]+)",
                        "exact WINS",
                        "prefix LESS_SPECIFIC",
                        "other-path PATH path (expected: /b)",
                        "other-host HOST host (expected: b.org)",
                        "any-host HOST host (expected: one without routes of its own)");
        assertThat(explanation.hostGroup()).isEqualTo("a.org");
        assertThat(explanation.winner()).isEqualTo(RULES.get(9));
        assertThat(explanation.miss()).isNull();
    }

    @Test
    void aMissSaysWhichAndWhatIsAllowed() {
        Explanation<String> explanation = RouteTable.of(List.of(rule("method", List.of("GET"), NONE, NONE)))
                .explain(REQUEST);
        assertThat(explanation.winner()).isNull();
        assertThat(explanation.miss()).isEqualTo(Miss.METHOD_NOT_ALLOWED);
        assertThat(explanation.allow()).isEqualTo("GET, HEAD");
    }
}
