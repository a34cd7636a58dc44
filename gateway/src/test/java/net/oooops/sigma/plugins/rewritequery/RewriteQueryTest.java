package net.oooops.sigma.plugins.rewritequery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RewriteQueryTest {
    private static String after(Map<String, ?> settings, String target) throws Exception {
        TestExchange exchange = TestExchange.of("GET", target);
        PluginHarness.of(new RewriteQueryFactory(), settings).request(exchange);
        String query = exchange.request().query();
        return exchange.request().path() + (query == null ? "" : "?" + query);
    }

    @ParameterizedTest
    @CsvSource({
        "/a?x=1&debug=1&y=2, /a?x=1&y=2",
        "/a?debug, /a",
        "/a?debug=&x, /a?x",
        "/a?%64ebug=1&DEBUG=2&d%65bug=3&x, /a?DEBUG=2&x",
        "/a?debug%=1&x%2, /a?debug%=1&x%2",
        "/a?x+y=1&z, /a?z",
        "/a?x%20y=1&z, /a?z",
        "/a?%C3%A4=1&%c3%a4=2&%E4=3, /a?%E4=3",
        "/a?&&x=%20+&=&, /a?&&x=%20+&=&",
        "/a?, /a?",
        "/a, /a"
    })
    void removesByTheDecodedName(String target, String expected) throws Exception {
        assertThat(after(Map.of("remove", List.of("debug", "x y", "ä")), target))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"/a?q=1&page=2&x=3, /a?q=1&page=2", "/a?x=3, /a", "/a?&q&&%71=2&, /a?q&%71=2", "/a, /a"})
    void keepsOnlyWhatIsNamed(String target, String expected) throws Exception {
        assertThat(after(Map.of("keep-only", List.of("q", "page")), target)).isEqualTo(expected);
        assertThat(after(Map.of("keep-only", List.of()), target)).isEqualTo("/a");
    }

    @ParameterizedTest
    @CsvSource({
        "/a?x=1&v=1&y=2&v=3&%76, /a?x=1&v=2%26%3D%C3%A4%20%2B&y=2",
        "/a?x=1, /a?x=1&v=2%26%3D%C3%A4%20%2B",
        "/a?, /a?v=2%26%3D%C3%A4%20%2B",
        "/a, /a?v=2%26%3D%C3%A4%20%2B"
    })
    void setTakesThePlaceOfTheFirst(String target, String expected) throws Exception {
        assertThat(after(Map.of("set", Map.of("v", "2&=ä +")), target)).isEqualTo(expected);
    }

    @Test
    void addsAtTheEnd() throws Exception {
        Map<String, Object> add = new LinkedHashMap<>();
        add.put("a b", List.of("1", ""));
        add.put("c", "#");
        assertThat(after(Map.of("add", add), "/x?c=1")).isEqualTo("/x?c=1&a%20b=1&a%20b=&c=%23");
    }

    @Test
    void renamesAndKeepsTheValueAsItIsWritten() throws Exception {
        Map<String, Object> rename = Map.of("rename", Map.of("q", "query&", "a", "b"));
        assertThat(after(rename, "/x?%71=%41+1&a&b=2&q")).isEqualTo("/x?query%26=%41+1&b&b=2&query%26");
    }

    @Test
    void oneStepSeesWhatTheOneBeforeMade() throws Exception {
        Map<String, Object> all = Map.of(
                "keep-only", List.of("a", "b", "c"),
                "remove", List.of("b"),
                "rename", Map.of("a", "v"),
                "set", Map.of("v", "1"),
                "add", Map.of("b", "2"));
        assertThat(after(all, "/x?b=0&c=3&a=0&d=4&v=5")).isEqualTo("/x?c=3&v=1&b=2");
    }

    /** What is written goes on byte by byte, and is still a request line. */
    @Test
    void goesOnToTheNode() throws IOException {
        Map<String, Object> settings = Map.of("set", Map.of("v", "\r\nX-Evil: 1"), "remove", List.of("debug"));
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(request.target()));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .plugin("rewrite-query", settings)
                        .start();
                RawClient client = gateway.connect()) {
            String[][] expected = {
                {"GET /a?x={%7B}|&debug", "/a?x={%7B}|&v=%0D%0AX-Evil%3A%201"},
                {"GET /a?q=100%&debug", "/a?q=100%&v=%0D%0AX-Evil%3A%201"},
                {"GET /a?%zz&q=%4", "/a?%zz&q=%4&v=%0D%0AX-Evil%3A%201"},
                {"OPTIONS *", "*"},
            };
            for (String[] each : expected) {
                client.send(each[0] + " HTTP/1.1\r\nHost: a\r\n\r\n");
                if (each[1].equals("*")) {
                    assertThat(client.readResponse().status()).isLessThan(500);
                } else {
                    assertThat(client.readResponse().bodyText()).isEqualTo(each[1]);
                }
            }
            assertThat(node.requests().getFirst().header("X-Evil")).isNull();
        }
    }

    @Test
    void problemsNameTheirPlace() {
        assertProblem(Map.of("remove", List.of("a", "")), "/remove/1");
        assertProblem(Map.of("set", Map.of("", "a")), "/set/");
        assertProblem(Map.of("rename", Map.of("a", "")), "/rename/a");
        assertProblem(Map.of("add", Map.of("a", 1)), "/add/a");
    }

    private static void assertProblem(Map<String, ?> settings, String pointer) {
        assertThatThrownBy(() -> new RewriteQueryFactory().create(Settings.of(settings), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer));
    }

    @ParameterizedTest
    @ValueSource(strings = {"&", "a&"})
    void aLongQueryCostsWhatItsLengthIs(String repeated) {
        String query = repeated.repeat(2 * 1024 * 1024 / repeated.length());
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> after(Map.of("remove", List.of("x")), "/?" + query));
    }
}
