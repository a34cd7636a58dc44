package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What the log says of plugins with a condition and in shadow: once in a while, and nothing of what clients sent. */
@Isolated("the log")
class PlacementLinesTest {
    private static final String WORKER = "net.oooops.sigma.runtime.Worker";

    private static void threeRequests(PluginConfig plugin) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", plugin)
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(Ask.get("/?n=secret")).readResponse().status())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void aConditionThatCantBeEvaluatedIsSaidOnce() throws IOException {
        Probe probe = Probe.probe().onRequest(x -> Outcome.CONTINUE);
        try (LoggedLines log = new LoggedLines(WORKER)) {
            threeRequests(probe.when("int(request.params['n']) > 5"));
            assertThat(log.lines().stream().filter(line -> line.contains("its condition can't be evaluated")))
                    .singleElement()
                    .asString()
                    .contains("plugin probe", "so it acts (character 4: bad format)")
                    .doesNotContain("secret");
        }
    }

    @Test
    void aFailureInShadowIsSaidOnce() throws IOException {
        Probe probe = Probe.probe().onRequest(x -> {
            throw new IllegalStateException("broken");
        });
        try (LoggedLines log = new LoggedLines(WORKER)) {
            threeRequests(probe.shadow());
            assertThat(log.lines().stream().filter(line -> line.contains("plugin probe (in shadow) failed")))
                    .hasSize(1);
        }
    }
}
