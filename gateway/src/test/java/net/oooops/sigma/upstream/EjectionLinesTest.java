package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.upstream.Node.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What the log says of nodes that are out. */
@Isolated("log lines")
class EjectionLinesTest {
    private static final long HALF_SECOND = TimeUnit.MILLISECONDS.toNanos(500);
    private long now = HALF_SECOND;

    private final Upstream upstream = new NodeRegistry()
            .upstream(new UpstreamConfig(
                    "u",
                    UpstreamConfig.Discovery.STATIC_CONFIG,
                    UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                    UpstreamConfig.Protocol.HTTP,
                    List.of(new NodeConfig("a", 80, 1), new NodeConfig("b", 80, 1)),
                    null,
                    null));
    private final Node node = upstream.nodes().get(0);

    private void fail(Node failing, int times) {
        for (int i = 0; i < times; i++) {
            upstream.ejection().faulted(failing, Node.NO_TRIAL, now);
        }
    }

    private int trial() {
        int trial = upstream.ejection().tryOut(node, true, now);
        assertThat(trial).isNotZero();
        return trial;
    }

    /** It is tried out again and again, as no other is well, and answers in the end. */
    private void outage() {
        fail(node, 5);
        fail(upstream.nodes().get(1), 1);
        for (int i = 0; i < 40; i++) {
            now += HALF_SECOND;
            upstream.tick(now);
            upstream.ejection().faulted(node, trial(), now);
        }
        now += HALF_SECOND;
        upstream.tick(now);
        for (int i = 0; i < 10 && node.state() == State.TRIAL; i++) {
            upstream.ejection().answered(node, false, trial(), now);
        }
    }

    @Test
    void eachCauseIsSaidOnceForEachOutage() {
        try (LoggedLines log = new LoggedLines(Ejection.class)) {
            outage();
            assertThat(log.lines()).hasSize(3);
            assertThat(log.lines().get(0)).contains("node a: ejected for ", Cause.FAULTS.text());
            assertThat(log.lines().get(1)).contains("node a: ejected for ", Cause.TRIAL.text());
            assertThat(log.lines().get(2)).isEqualTo("INFO upstream u node a: used again");
            outage();
            assertThat(log.lines()).as("with the next outage").hasSize(6);
            assertThat(upstream.ejection().count()).as("all of them counted").isEqualTo(82);
        }
    }
}
