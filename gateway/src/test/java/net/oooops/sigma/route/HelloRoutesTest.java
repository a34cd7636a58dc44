package net.oooops.sigma.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.oooops.sigma.route.HelloRoutes.Rule;
import org.junit.jupiter.api.Test;

/** The first route takes a session whose conditions hold. */
class HelloRoutesTest {
    private static HelloRoutes<String> of(Rule<String> rule) {
        return new HelloRoutes<>(List.of(rule), "otherwise");
    }

    private static Rule<String> hosts(String... hosts) {
        return new Rule<>("id", List.of(hosts), List.of(), "taken");
    }

    @Test
    void aNameIsTakenWhole() {
        HelloRoutes<String> routes = of(hosts("A.Example", "b.example"));
        assertThat(routes.match("a.example", List.of())).isEqualTo("taken");
        assertThat(routes.match("b.example", List.of("h2"))).isEqualTo("taken");
        for (String other : List.of("x.a.example", "xa.example", "example", "a.example.")) {
            assertThat(routes.match(other, List.of())).as(other).isEqualTo("otherwise");
        }
        assertThat(routes.match(null, List.of())).isEqualTo("otherwise");
    }

    @Test
    void aDomainIsTakenAtAnyDepth() {
        HelloRoutes<String> routes = of(hosts("*.a.example"));
        assertThat(routes.match("x.a.example", List.of())).isEqualTo("taken");
        assertThat(routes.match("x.y.a.example", List.of())).isEqualTo("taken");
        for (String other : List.of("a.example", ".a.example", "xa.example", "a.example.x", "example", "")) {
            assertThat(routes.match(other, List.of())).as(other).isEqualTo("otherwise");
        }
    }

    @Test
    void oneProtocolIsEnough() {
        HelloRoutes<String> routes = of(new Rule<>("id", List.of(), List.of("h2", "mqtt"), "taken"));
        assertThat(routes.match(null, List.of("http/1.1", "mqtt"))).isEqualTo("taken");
        assertThat(routes.match("a", List.of("H2"))).isEqualTo("otherwise");
        assertThat(routes.match("a", List.of())).isEqualTo("otherwise");
    }

    @Test
    void bothHaveToHoldAndTheFirstTakesIt() {
        HelloRoutes<String> routes = new HelloRoutes<>(
                List.of(
                        new Rule<>("1", List.of("a"), List.of("h2"), "first"),
                        new Rule<>("2", List.of("*.b", "a"), List.of(), "second"),
                        new Rule<>("3", List.of(), List.of("h2"), "third")),
                null);
        assertThat(routes.match("a", List.of("h2"))).isEqualTo("first");
        assertThat(routes.match("a", List.of())).isEqualTo("second");
        assertThat(routes.match("x.b", List.of("h2"))).isEqualTo("second");
        assertThat(routes.match("c", List.of("h2"))).isEqualTo("third");
        assertThat(routes.match("c", List.of())).isNull();
    }
}
