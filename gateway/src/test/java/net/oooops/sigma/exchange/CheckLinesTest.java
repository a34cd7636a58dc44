package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.health.HealthChecker;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What the log says of checks. */
@Isolated("log lines")
class CheckLinesTest {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Its connection is closed while the body is still to come. */
    @Test
    void anAnswerThatIsNotReadToItsEndIsNoLine() throws IOException {
        ActiveCheckConfig checks = new ActiveCheckConfig(
                new ActiveCheckConfig.Http(
                        "/health", "GET", null, List.of(new ActiveCheckConfig.Statuses(200, 299)), null),
                0,
                new ActiveCheckConfig.Rhythm(INTERVAL_NANOS, INTERVAL_NANOS, INTERVAL_NANOS * 200, 0),
                1,
                1);
        Script begins = Script.script()
                .readRequest()
                .send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 200\r\n\r\nsick")
                .awaitPeerClose();
        try (LoggedLines ofVertx = new LoggedLines("io.vertx");
                ScriptedUpstream sick = ScriptedUpstream.play(begins, begins, begins, begins);
                GatewayFixture gateway = GatewayFixture.to(sick).checked(checks).start()) {
            sick.awaitRequests(4);
            for (int i = 0; i < 3; i++) {
                sick.awaitClosed(i);
            }
            assertThat(gateway.gateway().nodes()).noneMatch(Node::isAvailable);
            assertThat(ofVertx.lines()).isEmpty();
        }
    }

    @Test
    void eachChangeIsSaidOnce() throws IOException {
        ActiveCheckConfig checks = new ActiveCheckConfig(
                new ActiveCheckConfig.Http(
                        "/health", "GET", null, List.of(new ActiveCheckConfig.Statuses(200, 299)), null),
                0,
                new ActiveCheckConfig.Rhythm(INTERVAL_NANOS, INTERVAL_NANOS, INTERVAL_NANOS * 200, 0),
                1,
                1);
        AtomicBoolean well = new AtomicBoolean();
        try (LoggedLines ofChecks = new LoggedLines(HealthChecker.class);
                LoggedLines ofNodes = new LoggedLines(Upstream.class);
                ScriptedUpstream sick = ScriptedUpstream.start(request -> Answer.of(well.get() ? 200 : 503));
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(sick.port(), good.port())
                        .checked(checks)
                        .start()) {
            Await.until("found down", () -> gateway.gateway().nodes().stream().anyMatch(node -> !node.isAvailable()));
            well.set(true);
            Await.until("found up", () -> gateway.gateway().nodes().stream().allMatch(Node::isAvailable));
            String node = "upstream upstream node 127.0.0.1:" + sick.port() + ": ";
            Await.until("both are said", () -> ofNodes.lines().size() == 2);
            assertThat(ofNodes.lines())
                    .containsExactly(
                            "WARN " + node + "down, as its checks say (status 503 (expected: 200-299))",
                            "INFO " + node + "up again, as its checks say");
            assertThat(ofChecks.lines()).isEmpty();
        }
    }
}
