package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.Test;

/** What active checks find decides which nodes get requests. */
class CheckedNodesTest {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** No check fails for a machine that is slow. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static ActiveCheckConfig checks() {
        return new ActiveCheckConfig(
                new ActiveCheckConfig.Http(
                        "/health", "GET", null, List.of(new ActiveCheckConfig.Statuses(200, 299)), null),
                0,
                new ActiveCheckConfig.Rhythm(INTERVAL_NANOS, INTERVAL_NANOS, PATIENCE_NANOS, 0),
                1,
                1);
    }

    @Test
    void aNodeThatIsDownGetsNothingUntilItIsUpAgain() throws IOException {
        AtomicBoolean well = new AtomicBoolean();
        try (ScriptedUpstream sick = ScriptedUpstream.start(request ->
                        request.target().equals("/health") && !well.get() ? Answer.of(503) : Answer.ok("sick"));
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(sick.port(), good.port())
                        .checked(checks())
                        .passive("slowStartNanos", 0)
                        .start();
                RawClient client = gateway.connect()) {
            Await.until("left out", () -> gateway.gateway().upstreams().stream().noneMatch(Upstream::isWhole));
            for (int i = 0; i < 10; i++) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("good");
            }
            assertThat(sick.requests()).extracting(ReceivedRequest::target).containsOnly("/health");
            well.set(true);
            Await.until("found up", () -> gateway.gateway().nodes().stream().allMatch(Node::isAvailable));
            Await.until(
                    "its turn",
                    () -> HealingTest.ask(client, Ask.get("/")).bodyText().equals("sick"));
        }
    }
}
