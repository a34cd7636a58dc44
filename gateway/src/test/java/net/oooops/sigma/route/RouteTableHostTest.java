package net.oooops.sigma.route;

import static net.oooops.sigma.route.TestRequest.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTableHostTest {

    private static RouteRule<String> rule(@Nullable String host, String path, String target) {
        return RouteRule.plain(target, host, path, target);
    }

    private static @Nullable String route(RouteTable<String> table, String host, String path) {
        RouteMatch<String> match = new RouteMatch<>();
        table.match(get(path).host(host), match);
        return match.target();
    }

    @ParameterizedTest
    @CsvSource({
        "www.example.com,       exact",
        "WWW.Example.COM,       exact",
        "api.example.com,       wildcard",
        "API.EXAMPLE.com,       wildcard",
        "a.b.example.com,       wildcard",
        "x.deep.example.com,    deep",
        "x.y.deep.example.com,  deep",
        "deep.example.com,      wildcard",
        "example.com,           any",
        "badexample.com,        any",
        "example.com.evil.org,  any",
        "'',                    any",
        "[::1],                 six",
        "[::2],                 any",
        "127.0.0.1,             four",
    })
    void theMostSpecificHostIsTaken(String host, String expected) {
        RouteTable<String> table = RouteTable.of(List.of(
                rule(null, "/", "any"),
                rule("*.example.com", "/", "wildcard"),
                rule("*.Deep.example.com", "/", "deep"),
                rule("www.example.com.", "/", "exact"),
                rule("127.0.0.1", "/", "four"),
                rule("[::1]", "/", "six")));
        assertThat(route(table, host, "/")).isEqualTo(expected);
    }

    @Test
    void anotherHostsRoutesAreNotLookedAt() {
        RouteTable<String> table = RouteTable.of(List.of(
                rule("www.example.com", "/a", "exact"),
                rule("*.example.com", "/b", "wildcard"),
                rule(null, "/c", "any")));
        assertThat(route(table, "www.example.com", "/a")).isEqualTo("exact");
        assertThat(route(table, "www.example.com", "/b")).isNull();
        assertThat(route(table, "www.example.com", "/c")).isNull();
        assertThat(route(table, "api.example.com", "/c")).isNull();
        assertThat(route(table, "other.org", "/c")).isEqualTo("any");
    }

    @Test
    void routesOfOneHostAreMergedInTheOrderWritten() {
        RouteTable<String> table = RouteTable.of(List.of(
                rule("www.example.com", "/a", "one"),
                rule("other.org", "/a", "other"),
                rule("WWW.EXAMPLE.COM", "/a", "two"),
                rule("www.example.com", "/b", "three")));
        assertThat(route(table, "www.example.com", "/a")).isEqualTo("one");
        assertThat(route(table, "www.example.com", "/b")).isEqualTo("three");
    }

    @Test
    void withoutRoutesForAnyHostAnUnknownHostHasNone() {
        RouteTable<String> table = RouteTable.of(List.of(rule("www.example.com", "/*", "exact")));
        assertThat(route(table, "example.com", "/")).isNull();
        assertThat(table.explain(get("/").host("example.com")).hostGroup()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*.", "*", "a..b", "a:80", "a:", "*.[::1]", "a b", "a.*.b", "u@h", "1.2.3"})
    void whatIsNoHostIsRefused(String host) {
        assertThatThrownBy(() -> RouteTable.of(List.of(rule(host, "/", "x"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "virtual-host: " + host + " (expected: a host name, an IP address or *.DOMAIN, without port)");
    }
}
