package net.oooops.sigma.plugins.serverversion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

class ServerVersionTest {
    @Test
    void whatTellsIsGone() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes")
                        .header("Server", "nginx/1.22.1")
                        .header("x-powered-by", "PHP/7.4")
                        .header("X-AspNet-Version", "4.0")
                        .header("X-Kept", "1"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .plugin("server-version", Map.of())
                        .start();
                RawClient client = gateway.connect()) {
            for (String method : List.of("GET", "HEAD")) {
                RawResponse response =
                        client.send(method + " / HTTP/1.1\r\nHost: a\r\n\r\n").readResponse(method);
                for (String name : List.of("Server", "X-Powered-By", "X-AspNet-Version")) {
                    assertThat(response.headers().has(name)).as(name).isFalse();
                }
                assertThat(response.headers().values("X-Kept")).containsExactly("1");
            }
        }
    }

    @Test
    void anotherNameCanStandThere() throws Exception {
        Map<String, Object> settings = Map.of("server", "example", "remove", List.of("X-Runtime"));
        TestExchange exchange = TestExchange.of("GET", "/");
        PluginHarness.of(new ServerVersionFactory(), settings)
                .response(exchange, 500, "Server: a", "server: b", "X-Runtime: 1", "X-Powered-By: c");
        assertThat(exchange.response().lines()).containsExactly("X-Powered-By: c", "Server: example");
    }

    @Test
    void problemsNameTheirPlace() {
        assertProblem(Map.of("remove", List.of("A", "Content-Length")), "/remove/1");
        assertProblem(Map.of("remove", List.of("a b")), "/remove/0");
        assertProblem(Map.of("server", "a\r\nb"), "/server");
    }

    private static void assertProblem(Map<String, ?> settings, String pointer) {
        assertThatThrownBy(() -> new ServerVersionFactory().create(Settings.of(settings), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer));
    }
}
