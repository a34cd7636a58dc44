package net.oooops.sigma.route;

import static net.oooops.sigma.route.TestRequest.get;
import static net.oooops.sigma.route.TestRequest.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import net.oooops.sigma.config.ValueMatch;
import net.oooops.sigma.config.ValueMatch.Kind;
import net.oooops.sigma.route.RouteMatch.Miss;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTableConditionTest {

    /** A route under construction; its target is its id. */
    private record Draft(String id, String path, RouteRule<String> rule) {
        static Draft of(String id, String path) {
            return new Draft(id, path, RouteRule.plain(id, null, path, id));
        }

        Draft methods(String... methods) {
            return with(List.of(methods), rule.consumes(), rule.produces(), rule.headers(), rule.query());
        }

        Draft consumes(String... types) {
            return with(rule.methods(), List.of(types), rule.produces(), rule.headers(), rule.query());
        }

        Draft produces(String... types) {
            return with(rule.methods(), rule.consumes(), List.of(types), rule.headers(), rule.query());
        }

        Draft header(String name, Kind kind, String value) {
            List<ValueMatch> headers = List.of(new ValueMatch(name, kind, value));
            return with(rule.methods(), rule.consumes(), rule.produces(), headers, rule.query());
        }

        Draft query(String name, Kind kind, String value) {
            List<ValueMatch> query = List.of(new ValueMatch(name, kind, value));
            return with(rule.methods(), rule.consumes(), rule.produces(), rule.headers(), query);
        }

        private Draft with(
                List<String> methods,
                List<String> consumes,
                List<String> produces,
                List<ValueMatch> headers,
                List<ValueMatch> query) {
            return new Draft(
                    id, path, new RouteRule<>(id, null, path, methods, consumes, produces, headers, query, id));
        }
    }

    private static Draft route(String id, String path) {
        return Draft.of(id, path);
    }

    private static RouteMatch<String> match(RouteQuery request, Draft... drafts) {
        RouteMatch<String> match = new RouteMatch<>();
        RouteTable<String> table =
                RouteTable.of(Stream.of(drafts).map(Draft::rule).toList());
        table.match(request, match);
        Explanation<String> explanation = table.explain(request);
        assertThat(explanation.winner() == null ? null : explanation.winner().target())
                .isEqualTo(match.target());
        assertThat(explanation.miss()).isEqualTo(match.target() == null ? match.miss() : null);
        assertThat(explanation.allow()).isEqualTo(match.allow());
        return match;
    }

    private static void assertTaken(RouteQuery request, Draft draft, boolean taken) {
        assertThat(match(request, draft).target()).isEqualTo(taken ? draft.id : null);
    }

    @ParameterizedTest
    @CsvSource({"GET, true", "HEAD, true", "POST, true", "get, false", "DELETE, false", "OPTIONS, false"})
    void methodsAreCaseSensitiveAndGetTakesHead(String method, boolean taken) {
        assertTaken(request(method, "/a"), route("r", "/a").methods("GET", "POST"), taken);
    }

    @Test
    void headAloneDoesNotTakeGet() {
        assertThat(match(get("/a"), route("r", "/a").methods("HEAD")).miss()).isEqualTo(Miss.METHOD_NOT_ALLOWED);
    }

    @Test
    void anotherMethodIsToldAllThatAreAllowed() {
        RouteMatch<String> match = match(
                request("DELETE", "/a/b"),
                route("prefix", "/a/*").methods("PATCH", "POST"),
                route("exact", "/a/b").methods("PUT", "GET"),
                route("elsewhere", "/b").methods("TRACE"));
        assertThat(match.miss()).isEqualTo(Miss.METHOD_NOT_ALLOWED);
        assertThat(match.allow()).isEqualTo("PUT, GET, HEAD, PATCH, POST");
    }

    @Test
    void aRouteThatDoesNotTakeTheRequestIsPassedOverForALessSpecificOne() {
        Draft exact = route("exact", "/a/b").methods("GET");
        Draft parameter = route("parameter", "/a/:x").consumes("text/plain");
        Draft prefix = route("prefix", "/a/*").header("x", Kind.PRESENT, "");
        Draft all = route("all", "*");
        Draft[] drafts = {all, prefix, parameter, exact};
        assertThat(match(get("/a/b"), drafts).target()).isEqualTo("exact");
        assertThat(match(request("PUT", "/a/b"), drafts).target()).isEqualTo("parameter");
        TestRequest json = request("PUT", "/a/b").header("Content-Type", "application/json");
        assertThat(match(json, drafts).target()).isEqualTo("all");
        assertThat(match(json.header("X", "1"), drafts).target()).isEqualTo("prefix");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            delimiter = '|',
            value = {
                "application/json               | true",
                "Application/JSON; charset=utf-8| true",
                "text/plain                     | true",
                "text/html ;x=\"a,b\"           | true",
                "application/xml                | false",
                "json                           | false",
                "application/json, text/plain   | false",
                "text/                          | false",
                "''                             | false",
                "-                              | false",
            })
    void contentTypesAreInTheRanges(String contentType, boolean taken) {
        TestRequest request = request("POST", "/a").body();
        if (contentType != null) {
            request.header("content-type", contentType);
        }
        Draft draft = route("r", "/a").consumes("application/json", "TEXT/*; charset=utf-8");
        assertTaken(request, draft, taken);
        if (!taken) {
            assertThat(match(request, draft).miss()).isEqualTo(Miss.UNSUPPORTED_MEDIA_TYPE);
        }
    }

    @Test
    void withoutContentTypeABodyIsOctetsAndNoBodyIsTaken() {
        assertTaken(request("POST", "/a"), route("r", "/a").consumes("text/plain"), true);
        assertTaken(request("POST", "/a").body(), route("r", "/a").consumes("application/octet-stream"), true);
        assertTaken(request("POST", "/a").body(), route("r", "/a").consumes("*/*"), true);
        assertTaken(
                request("POST", "/a").header("Content-Type", "nonsense"),
                route("r", "/a").consumes("*/*"),
                true);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            delimiter = '|',
            value = {
                "-                                          | true",
                "''                                         | true",
                "application/json                           | true",
                "APPLICATION/*                              | true",
                "*/*                                        | true",
                "*                                          | true",
                "text/html, application/json;q=0.1          | true",
                "text/html, application/json;q=0            | false",
                "text/html, application/json;Q=0.000        | false",
                "text/html                                  | false",
                "application/json;q=0, */*                  | false",
                "application/*;q=0, */*;q=1                 | false",
                "application/*;q=0, application/json        | true",
                "*/*;q=0                                    | false",
                "text/html, *; q=.2, */*; q=.2              | true",
                "text/html;x=\", application/json\"         | false",
                "text/html;x=\"\\\", application/json\"     | false",
                "application/json;q=high, text/html         | false",
                "application/json;level=1;q=0, application/json;level=2 | true",
                "nonsense                                   | true",
            })
    void acceptAdmitsWhatIsProduced(String accept, boolean taken) {
        TestRequest request = get("/a");
        if (accept != null) {
            request.header("Accept", accept);
        }
        Draft draft = route("r", "/a").produces("application/json");
        assertTaken(request, draft, taken);
        if (!taken) {
            assertThat(match(request, draft).miss()).isEqualTo(Miss.NOT_ACCEPTABLE);
        }
    }

    @Test
    void aRangeThatIsProducedOverlapsWithOneThatIsAccepted() {
        Draft draft = route("r", "/a").produces("text/*");
        assertTaken(get("/a").header("Accept", "text/html"), draft, true);
        assertTaken(get("/a").header("Accept", "image/*, text/html;q=0"), draft, false);
    }

    @ParameterizedTest
    @CsvSource({
        "EXACT,   v1,     v1,     true",
        "EXACT,   v1,     V1,     false",
        "EXACT,   v1,     v12,    false",
        "PREFIX,  v1,     v12,    true",
        "PREFIX,  v1,     v2,     false",
        "REGEXP,  v[0-9], v7,     true",
        "REGEXP,  v[0-9], v77,    false",
        "PRESENT, '',     any,    true",
        "PRESENT, '',     '',     true",
        "ABSENT,  '',     any,    false",
    })
    void aValueIsCompared(Kind kind, String expected, String found, boolean taken) {
        assertTaken(get("/a").header("x-version", found), route("r", "/a").header("X-Version", kind, expected), taken);
        assertTaken(get("/a").query("x=1&version=" + found), route("r", "/a").query("version", kind, expected), taken);
    }

    @ParameterizedTest
    @CsvSource({"EXACT, '', false", "PREFIX, '', false", "REGEXP, .*, false", "PRESENT, '', false", "ABSENT, '', true"})
    void whatIsNotThereHoldsOnlyForAbsent(Kind kind, String expected, boolean taken) {
        assertTaken(get("/a"), route("r", "/a").header("X-Version", kind, expected), taken);
        assertTaken(get("/a"), route("r", "/a").query("version", kind, expected), taken);
        assertTaken(get("/a").query("Version=1&&"), route("r", "/a").query("version", kind, expected), taken);
    }

    @ParameterizedTest
    @CsvSource({
        "n%61me=a%20b,      true",
        "name=a+b,          true",
        "name=x&name=a%20b, true",
        "name=a%2520b,      false",
        "name=a%2bb,        false",
        "name,              false",
        "name=a b=c,        false",
        "xname=a%20b,       false",
    })
    void queryParametersAreDecoded(String query, boolean taken) {
        assertTaken(get("/a").query(query), route("r", "/a").query("name", Kind.EXACT, "a b"), taken);
    }

    @Test
    void queryParametersAreUtf8AndBrokenEncodingStandsForItself() {
        assertTaken(get("/a").query("n%C3%A9=%E2%82%AC"), route("r", "/a").query("né", Kind.EXACT, "€"), true);
        assertTaken(get("/a").query("n=100%+%4"), route("r", "/a").query("n", Kind.EXACT, "100% %4"), true);
        assertTaken(get("/a").query("n"), route("r", "/a").query("n", Kind.EXACT, ""), true);
        assertTaken(get("/a").query("n=1=2"), route("r", "/a").query("n", Kind.EXACT, "1=2"), true);
    }

    @Test
    void anExpressionThatBacktracksWithoutEndDoesNotMatch() {
        Draft draft = route("r", "/a").header("x", Kind.REGEXP, "(a+)+b");
        assertTaken(get("/a").header("x", "a".repeat(50)), draft, false);
        assertTaken(get("/a").header("x", "a".repeat(50) + "b"), draft, true);
    }

    @Test
    void anExpressionThatRecursesTooDeeplyDoesNotMatch() {
        Draft draft = route("r", "/a").header("x", Kind.REGEXP, "(a|b)*");
        assertTaken(get("/a").header("x", "ab".repeat(100)), draft, true);
        assertTaken(get("/a").header("x", "ab".repeat(5_000_000)), draft, false);
    }

    @Test
    void theAnswerIsThatOfTheRouteThatCameFurthest() {
        Draft put = route("put", "/a").methods("PUT");
        Draft post = route("post", "/a").methods("POST").header("x", Kind.PRESENT, "");
        Draft json = route("json", "/a").methods("POST").consumes("application/json");
        Draft html = route("html", "/a").methods("POST").produces("text/html");
        TestRequest request =
                request("POST", "/a").header("Content-Type", "text/plain").header("Accept", "text/plain");
        assertThat(match(request, route("r", "/b")).miss()).isEqualTo(Miss.NO_ROUTE);
        assertThat(match(request, put).miss()).isEqualTo(Miss.METHOD_NOT_ALLOWED);
        assertThat(match(request, put, post).miss()).isEqualTo(Miss.NO_ROUTE);
        assertThat(match(request, json, put, post).miss()).isEqualTo(Miss.UNSUPPORTED_MEDIA_TYPE);
        assertThat(match(request, html, json, put, post).miss()).isEqualTo(Miss.NOT_ACCEPTABLE);
    }

    @Test
    void whatCannotBeCompiledIsRefused() {
        RouteQuery request = get("/a");
        assertThatThrownBy(() -> match(request, route("r", "/a").methods("GET POST")))
                .hasMessage("allow-method: GET POST (expected: a method, such as GET)");
        assertThatThrownBy(() -> match(request, route("r", "/a").consumes("json")))
                .hasMessage("media type: json (expected: TYPE/SUBTYPE, TYPE/* or */*, such as application/json)");
        assertThatThrownBy(() -> match(request, route("r", "/a").produces("*/json")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> match(request, route("r", "/a").header("x", Kind.REGEXP, "(")))
                .isInstanceOf(PatternSyntaxException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"&", "a&"})
    void aLongQueryCostsWhatItsLengthIs(String repeated) {
        String query = repeated.repeat(2 * 1024 * 1024 / repeated.length());
        ValueTest test = new ValueTest(new ValueMatch("name", Kind.PRESENT, ""));
        assertTimeoutPreemptively(
                Duration.ofSeconds(5),
                () -> assertThat(QueryParameters.hold(query, test)).isFalse());
    }
}
