package net.oooops.sigma.plugins.headers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

class HeadersTest {
    private static Plugin plugin(Map<String, ?> settings) {
        return new HeadersFactory().create(Settings.of(settings), new TestContext());
    }

    @Test
    void removesThenSetsThenAdds() throws Exception {
        Map<String, Object> edits = Map.of(
                "add", Map.of("X-A", List.of("2", "3")),
                "set", Map.of("x-a", "1"),
                "remove", List.of("X-A", "cookie"));
        TestExchange exchange = TestExchange.of("GET", "/", "X-A: old", "Cookie: c", "Accept: *");
        PluginHarness.of(plugin(Map.of("request", edits))).request(exchange);

        assertThat(exchange.request().lines()).containsExactly("Accept: *", "x-a: 1", "X-A: 2", "X-A: 3");
    }

    /** CGI and its like make one variable of both, so whoever reads one may get the client's. */
    @Test
    void whatReadsTheSameGoesFromRequests() throws Exception {
        Map<String, Object> edits = Map.of("set", Map.of("X-A-B", "1"), "remove", List.of("X-C", "X_D"));
        String[] sent = {"X_A-B: evil", "x_a_b: evil", "X_C: evil", "X-D: mine", "X_D: evil", "X_E: mine"};
        TestExchange exchange = TestExchange.of("GET", "/", sent);
        PluginHarness.of(plugin(Map.of("request", edits))).request(exchange);
        assertThat(exchange.request().lines()).containsExactly("X-D: mine", "X_E: mine", "X-A-B: 1");

        PluginHarness.of(plugin(Map.of("response", edits))).response(exchange, 200, "X_A-B: own", "X_C: own");
        assertThat(exchange.response().lines()).containsExactly("X_A-B: own", "X_C: own", "X-A-B: 1");
    }

    @Test
    void editsResponsesToo() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        Map<String, Object> edits = Map.of("remove", List.of("server"), "add", Map.of("Via", "1.1 x"));
        PluginHarness.of(plugin(Map.of("response", edits))).response(exchange, 200, "Server: y", "Via: 1.1 z");

        assertThat(exchange.response().lines()).containsExactly("Via: 1.1 z", "Via: 1.1 x");
    }

    @Test
    void asksOnlyForTheSidesItEdits() {
        Map<String, Object> edits = Map.of("set", Map.of("X-A", "1"));

        assertThat(plugin(Map.of("request", edits)).needs().request()).isTrue();
        assertThat(plugin(Map.of("request", edits)).needs().response()).isFalse();
        assertThat(plugin(Map.of("response", edits)).needs().request()).isFalse();
        assertThat(plugin(Map.of("response", edits)).needs().response()).isTrue();
        assertThat(plugin(Map.of()).needs().request()).isFalse();
    }

    @Test
    void problemsNameTheirPlace() {
        assertProblem(Map.of("remove", List.of("X-A", "Connection")), "/request/remove/1", "Connection is Sigma's own");
        assertProblem(
                Map.of("set", Map.of("Host", "a")), "/request/set/Host", "Host is Sigma's own: \"preserve-host\"");
        assertProblem(Map.of("add", Map.of("Transfer-Encoding", "a")), "/request/add/Transfer-Encoding", "Sigma's own");
        assertProblem(Map.of("set", Map.of("X A", "a")), "/request/set/X A", "a field name");
        assertProblem(Map.of("set", Map.of("X-A", "a\r\nb: c")), "/request/set/X-A", "a field value");
        assertProblem(Map.of("add", Map.of("X-A", List.of("1", " 2"))), "/request/add/X-A/1", "a field value");
        assertProblem(Map.of("set", Map.of("X-A", 1)), "/request/set/X-A", "a string");
    }

    private static void assertProblem(Map<String, ?> edits, String pointer, String message) {
        assertThatThrownBy(() -> plugin(Map.of("request", edits)))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer))
                .hasMessageContaining(message);
    }
}
