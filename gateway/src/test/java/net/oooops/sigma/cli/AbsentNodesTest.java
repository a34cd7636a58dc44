package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import net.oooops.sigma.cli.SteeringTest.Said;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What operators have said of nodes holds while the nodes, or their upstreams, are in no configuration. */
@DisabledOnOs(OS.WINDOWS)
class AbsentNodesTest extends SteeredFixture {
    private static final String THERE = "said of nodes that aren't there:\n";

    /** Two upstreams with a node of the same address each, by these names. */
    private static String of(String one, String other) {
        return """
                {
                  "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
                  "router": [{"id": "r", "proxy-server-id": "s", "route": [
                    {"id": "a", "path": "/a", "proxy-pass-id": "p"}, {"id": "b", "path": "/b", "proxy-pass-id": "q"}]}],
                  "proxy-pass": [{"id": "p", "upstream-id": "%s"}, {"id": "q", "upstream-id": "%s"}],
                  "upstream": [{"id": "%s", "nodes": ["http://127.0.0.1:1"]}, {"id": "%s", "nodes": ["http://127.0.0.1:1"]}]
                }
                """.formatted(one, other, one, other);
    }

    private void reload(String one, String other) throws IOException {
        write(of(one, other));
        assertThat(say("reload").exitCode()).isZero();
    }

    private String health(int upstream) throws IOException {
        return status().at("/upstreams/" + upstream + "/nodes/0/health").textValue();
    }

    private JsonNode status() throws IOException {
        return new ObjectMapper().readTree(say("status", "--json").out());
    }

    @Test
    void aNodeWhoseUpstreamWasAwayForAReloadIsStillDrained() throws Exception {
        try (Running _ = run(of("u", "v"))) {
            assertThat(say("status").out()).doesNotContain(THERE);
            assertThat(say("drain", "u/127.0.0.1:1").exitCode()).isZero();
            assertThat(say("weight", "u/127.0.0.1:1", "7").exitCode()).isZero();
            reload("w", "v");
            assertThat(health(0)).as("of another name").isEqualTo("healthy");
            assertThat(say("status").out()).endsWith("\n" + THERE + "  u/127.0.0.1:1  drained, with weight 7\n");
            JsonNode absent = status().get("absent_nodes");
            assertThat(absent).hasSize(1);
            assertThat(absent.get(0).toString())
                    .isEqualTo("{\"upstream\":\"u\",\"node\":\"127.0.0.1:1\",\"weight\":7,\"use\":\"drained\"}");

            reload("u", "v");
            assertThat(say("status").out())
                    .doesNotContain(THERE)
                    .containsPattern("\n {2}127\\.0\\.0\\.1:1 +drained, weight 7, ");
            assertThat(status().get("absent_nodes")).isEmpty();
        }
    }

    @Test
    void whatIsSaidOfANodeThatIsAwayIsTakenAway() throws Exception {
        try (Running _ = run(of("u", "v"))) {
            assertThat(say("drain", "u/127.0.0.1:1").exitCode()).isZero();
            assertThat(say("eject", "v/127.0.0.1:1").exitCode()).isZero();
            reload("x", "y");
            assertThat(say("drain", "u/127.0.0.1:1").err())
                    .as("nothing new is said of it")
                    .startsWith("no node u/127.0.0.1:1 (expected: one of x/127.0.0.1:1, y/127.0.0.1:1)");

            assertThat(say("restore", "u/127.0.0.1:1").out())
                    .isEqualTo("upstream u node 127.0.0.1:1, which isn't there: used\n");
            assertThat(say("restore", "u/127.0.0.1:1").err()).startsWith("no node u/127.0.0.1:1 ");
            assertThat(say("status").out()).endsWith(THERE + "  v/127.0.0.1:1  ejected\n");
            reload("u", "v");
            assertThat(health(0)).isEqualTo("healthy");
            assertThat(health(1)).isEqualTo("ejected");
        }
    }

    @Test
    void aNodeOfSeveralUpstreamsIsUsedAgainWhereItIsAndWhereItWas() throws Exception {
        try (Running _ = run(of("u", "v"))) {
            assertThat(say("drain", "127.0.0.1:1").exitCode()).isZero();
            reload("x", "v");
            Said restored = say("restore", "127.0.0.1:1");
            assertThat(restored.err()).isEmpty();
            assertThat(restored.out()).isEqualTo("""
                            upstream x node 127.0.0.1:1: used
                            upstream v node 127.0.0.1:1: used
                            upstream u node 127.0.0.1:1, which isn't there: used
                            """);
            assertThat(say("status").out()).doesNotContain(THERE);
            assertThat(health(1)).isEqualTo("healthy");
        }
    }

    @Test
    void ofThoseThatAreNotThereOneUpstreamIsNamed() throws Exception {
        try (Running _ = run(of("u", "v"))) {
            assertThat(say("drain", "127.0.0.1").exitCode()).isZero();
            reload("x", "y");
            assertThat(say("restore", "--upstream", "v", "127.0.0.1").out())
                    .isEqualTo("upstream v node 127.0.0.1:1, which isn't there: used\n");
            assertThat(say("status").out()).endsWith(THERE + "  u/127.0.0.1:1  drained\n");
        }
    }
}
