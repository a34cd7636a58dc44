package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import net.oooops.sigma.cli.SteeringTest.Said;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What is said of a node holds in every upstream that has it. */
@DisabledOnOs(OS.WINDOWS)
class NodeCommandTest extends SteeredFixture {
    private static final String SHARED = JSON.replace("\"upstream\": [", """
            "upstream": [
                {"id": "v", "nodes": ["http://127.0.0.1:1", "http://127.0.0.1:10"]},
                {"id": "w", "nodes": ["http://[::1]:1"]},
            """);

    /** One word takes a machine out of all upstreams. */
    @Test
    void aNodeIsSteeredInAllUpstreamsThatHaveIt() throws Exception {
        try (Running _ = run(SHARED)) {
            Said drained = say("drain", "127.0.0.1:1");
            assertThat(drained.err()).isEmpty();
            assertThat(drained.out())
                    .isEqualTo("upstream v node 127.0.0.1:1: drained\nupstream u node 127.0.0.1:1: drained\n"
                            + "upstream u: 0 of 1 nodes available now\n");
            assertThat(say("weight", "--upstream", "v", "127.0.0.1:1", "3").out())
                    .isEqualTo("upstream v node 127.0.0.1:1: drained, with weight 3\n");
            assertThat(say("restore", "u/127.0.0.1:1").out()).isEqualTo("upstream u node 127.0.0.1:1: used\n");
            assertThat(say("eject", "127.0.0.1").out()).isEqualTo("""
                            upstream v node 127.0.0.1:1: ejected, with weight 3
                            upstream v node 127.0.0.1:10: ejected
                            upstream u node 127.0.0.1:1: ejected
                            upstream v: 0 of 2 nodes available now
                            upstream u: 0 of 1 nodes available now
                            """);
            assertThat(say("drain", "[::1]").out())
                    .isEqualTo("upstream w node [::1]:1: drained\nupstream w: 0 of 1 nodes available now\n");
            JsonNode json = new ObjectMapper()
                    .readTree(say("restore", "127.0.0.1", "--json").out());
            assertThat(json.get("nodes")).hasSize(3);
            assertThat(json.at("/nodes/1").toString())
                    .isEqualTo("{\"upstream\":\"v\",\"node\":\"127.0.0.1:10\",\"weight\":1,\"use\":\"free\"}");
            assertThat(say("drain", "127.0.0").err()).startsWith("no node 127.0.0 (expected: one of v/127.0.0.1:1, ");
            assertThat(say("drain", "--upstream", "w", "127.0.0.1").err())
                    .startsWith("no node w/127.0.0.1 (expected: ");
            Said both = say("drain", "--upstream", "v", "u/127.0.0.1:1");
            assertThat(both.exitCode()).isEqualTo(2);
            assertThat(both.err()).startsWith("NODE: u/127.0.0.1:1 beside --upstream v (expected: one of both)\n");
        }
    }
}
