package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
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
            Await.until("found down", () -> gateway.gateway().nodes().stream().anyMatch(node -> !node.isAvailable()));
            // Balancers see a moment later what the node is already said to be.
            Await.until("left out", () -> asked(client, 2).stream().allMatch("good"::equals));
            long before = asked(sick);
            assertThat(asked(client, 10)).containsOnly("good");
            assertThat(asked(sick)).isEqualTo(before).isLessThanOrEqualTo(1);
            well.set(true);
            Await.until("found up", () -> gateway.gateway().nodes().stream().allMatch(Node::isAvailable));
            Await.until(
                    "its turn",
                    () -> HealingTest.ask(client, Ask.get("/")).bodyText().equals("sick"));
        }
    }

    private static List<String> asked(RawClient client, int times) {
        List<String> bodies = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            bodies.add(HealingTest.ask(client, Ask.get("/")).bodyText());
        }
        return bodies;
    }

    /** How many requests it got that weren't checks. */
    private static long asked(ScriptedUpstream upstream) {
        return upstream.requests().stream()
                .map(ReceivedRequest::target)
                .filter(target -> !target.equals("/health"))
                .count();
    }
}
