package net.oooops.sigma.route;

import static net.oooops.sigma.route.TestRequest.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which path leads where; the target of each route is its own path. */
class RouteTablePathTest {

    private static RouteTable<String> table(String... paths) {
        return RouteTable.of(Stream.of(paths)
                .map(path -> RouteRule.plain(path, null, path, path))
                .toList());
    }

    private static @Nullable String route(RouteTable<String> table, String path) {
        RouteMatch<String> match = new RouteMatch<>();
        table.match(get(path), match);
        assertThat(match.target() == null).isEqualTo(table.explain(get(path)).winner() == null);
        return match.target();
    }

    @ParameterizedTest
    @CsvSource({
        "/a/b,      /a/b,    true",
        "/a/b,      /a/b/,   false",
        "/a/b/,     /a/b/,   true",
        "/a/b/,     /a/b,    false",
        "/a/b,      /a/B,    false",
        "/a/b,      /a/b/c,  false",
        "/a/b,      /a,      false",
        "/,         /,       true",
        "/,         /a,      false",
        "/a/*,      /a,      true",
        "/a/*,      /a/,     true",
        "/a/*,      /a/b/c/, true",
        "/a/*,      /ab,     false",
        "/a/*,      /,       false",
        "/*,        /,       true",
        "/*,        /x/y,    true",
        "*,         /,       true",
        "*,         /x/y,    true",
        "/a/:id/c,  /a/7/c,  true",
        "/a/:id/c,  /a//c,   false",
        "/a/:id/c,  /a/7,    false",
        "/a/:id/c,  /a/7/c/, false",
        "/a/:id,    /a/,     false",
        "/a/:id/*,  /a/7,    true",
        "/a/:id/*,  /a/7/,   true",
        "/a/:id/*,  /a/7/b/c,true",
        "/a/:id/*,  /a/,     false",
        "/:x,       /,       false",
        "/a%2Fb/*,  /a%2Fb/c,true",
        "/a%2Fb/*,  /a/b/c,  false",
        "*,         *,       true",
        "/*,        *,       true",
        "/a/*,      *,       false",
        "/,         *,       false",
        "/:any,     *,       false",
        "*,         **,      false",
        "*,         '',      false",
    })
    void aPathMatches(String route, String path, boolean matches) {
        assertThat(route(table(route), path)).isEqualTo(matches ? route : null);
    }

    @ParameterizedTest
    @CsvSource({
        "/a;v=1/b,   /a/b",
        "/a/b;v=1,   /a/b",
        "/a/b;,      /a/b",
        "/a/b;x=/,   /a/b/",
        "/a/b/;x,    /a/b/",
        "/a;b/c/d,   /a/:id/d",
        "/;x,        /",
    })
    void parametersOfASegmentArePassedOver(String path, String expected) {
        assertThat(route(table("/a/b", "/a/b/", "/a/:id/d", "/"), path)).isEqualTo(expected);
    }

    @Test
    void aSegmentOfParametersAloneIsNoParameterValue() {
        assertThat(route(table("/a/:id"), "/a/;x")).isNull();
    }

    @Test
    void exactBeforeParameterBeforeLongestPrefixBeforeShorter() {
        RouteTable<String> table = table("*", "/a/*", "/a/b/*", "/:x/b/:y", "/a/:x/c", "/a/b/:x", "/a/b/c");
        assertThat(route(table, "/a/b/c")).isEqualTo("/a/b/c");
        assertThat(route(table, "/a/b/d")).isEqualTo("/a/b/:x");
        assertThat(route(table, "/a/x/c")).isEqualTo("/a/:x/c");
        assertThat(route(table, "/z/b/c")).isEqualTo("/:x/b/:y");
        assertThat(route(table, "/a/b/c/d")).isEqualTo("/a/b/*");
        assertThat(route(table, "/a/c")).isEqualTo("/a/*");
        assertThat(route(table, "/b")).isEqualTo("*");
    }

    @Test
    void aParameterPathComesBeforeAPrefixWithMoreLiterals() {
        assertThat(route(table("/a/b/*", "/:x/:y/:z"), "/a/b/c")).isEqualTo("/:x/:y/:z");
    }

    @Test
    void theLongestPrefixWinsAlsoWithParameters() {
        RouteTable<String> table = table("/a/*", "/:x/b/*", "/:x/:y/*");
        assertThat(route(table, "/a/b/c/d")).isEqualTo("/:x/b/*");
        assertThat(route(table, "/a/c/d")).isEqualTo("/:x/:y/*");
        assertThat(route(table, "/a")).isEqualTo("/a/*");
    }

    @Test
    void amongPrefixesOfOneLengthLiteralsOnTheLeftWin() {
        assertThat(route(table("/:x/b/*", "/a/:y/*"), "/a/b/c")).isEqualTo("/a/:y/*");
    }

    @Test
    void aDeadEndAmongLiteralsGoesBackToTheParameter() {
        RouteTable<String> table = table("/a/b/c/d", "/:x/b/:y/e", "/a/:y/c/f");
        assertThat(route(table, "/a/b/c/e")).isEqualTo("/:x/b/:y/e");
        assertThat(route(table, "/a/b/c/f")).isEqualTo("/a/:y/c/f");
        assertThat(route(table, "/a/b/c/g")).isNull();
    }

    @Test
    void amongEqualsTheFirstWrittenWins() {
        List<RouteRule<String>> rules = List.of(
                RouteRule.plain("one", null, "/a/:x", "one"),
                RouteRule.plain("two", null, "/a/:y", "two"),
                RouteRule.plain("three", null, "/*", "three"),
                RouteRule.plain("four", null, "*", "four"));
        RouteTable<String> table = RouteTable.of(rules);
        assertThat(route(table, "/a/1")).isEqualTo("one");
        assertThat(route(table, "/b")).isEqualTo("three");
        assertThat(route(table, "*")).isEqualTo("three");
    }

    @Test
    void anEmptyTableHasNoRoute() {
        assertThat(route(table(), "/")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a/b      | path: a/b (expected: a path: does not begin with /)",
                "''       | path:  (expected: a path: does not begin with /)",
                "/a//b    | path: /a//b (expected: normalised: /a/b)",
                "/a/../b  | path: /a/../b (expected: normalised: /b)",
                "/a/%7eb  | path: /a/%7eb (expected: normalised: /a/~b)",
                "/a?b     | path: /a?b (expected: normalised: /a%3Fb)",
                "/é       | path: /é (expected: normalised: /%C3%A9)",
                "/a;v=1   | path: /a;v=1 (expected: normalised: /a%3Bv=1)",
                "/a/*/b   | path: /a/*/b (expected: * only as the last segment)",
                "/a*      | path: /a* (expected: * only as the last segment)",
                "/:       | path: /: (expected: a name of letters, digits, _ and - after the colon of a parameter)",
                "/a/:~/c  | path: /a/:~/c (expected: a name of letters, digits, _ and - after the colon of a parameter)",
                "/..      | path: /.. (expected: a path: .. above the root)",
                "/%zz     | path: /%zz (expected: a path: % without two hexadecimal digits)",
            })
    void whatIsNoPathIsRefused(String path, String message) {
        assertThatThrownBy(() -> table(path))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
