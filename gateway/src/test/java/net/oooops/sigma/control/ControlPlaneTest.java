package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.health.CheckView;
import net.oooops.sigma.health.CheckView.State;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** What runs beside the Workers starts and stops with the gateway. */
class ControlPlaneTest {
    private static final String CHECKED = """
            {
              "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
              "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
              "proxy-pass": [{"id": "p", "upstream-id": "u"}],
              "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:%d", "http://127.0.0.1:%d"],
                "health": {"active": {"http": {"path": "/health", "text": "ok"}, "interval": "1h",
                  "unhealthy-interval": "20ms", "timeout": "10s"}}}]
            }
            """;

    /** A gateway from a text. */
    private static final class Written extends WrittenGateway {
        Written(String json, int workers) throws Exception {
            super(read(json), workers);
        }

        private static ObjectNode read(String json) throws IOException {
            ObjectNode root = (ObjectNode) new ObjectMapper().readTree(json);
            root.set("runtime", runtime());
            return root;
        }

        void await(Map<String, State> expected) {
            Await.value(
                    "states (expected: " + expected + ")",
                    () -> gateway().checks().stream().collect(Collectors.toMap(CheckView::node, CheckView::state)),
                    expected::equals);
        }
    }

    @Test
    void oneCheckerAsksTheNodesOfAllWorkers() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("ok"));
                ScriptedUpstream bad =
                        ScriptedUpstream.start(request -> broken.get() ? Answer.of(500) : Answer.ok("ok"));
                Written gateway = new Written(CHECKED.formatted(good.port(), bad.port()), 3)) {
            String goodName = "127.0.0.1:" + good.port();
            String badName = "127.0.0.1:" + bad.port();
            gateway.await(Map.of(goodName, State.HEALTHY, badName, State.UNHEALTHY));
            bad.awaitRequests(4);
            broken.set(false);
            gateway.await(Map.of(goodName, State.HEALTHY, badName, State.HEALTHY));
            assertThat(good.requests())
                    .hasSize(1)
                    .allMatch(request -> request.target().equals("/health"));

            gateway.gateway().stop(Duration.ZERO);
            bad.awaitAllClosed();
            int asked = bad.requestCount();
            assertThat(gateway.gateway().checks()).isEmpty();
            assertThat(bad.requestCount()).isEqualTo(asked);
        }
    }

    @Test
    void withoutChecksThereIsNothing() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                Written gateway = new Written(
                        CHECKED.formatted(node.port(), 1).replaceAll("(?s),\\s+\"health\".*\\}\\}\\}\\]", "}]"), 1)) {
            try (RawClient client = gateway.connect()) {
                assertThat(client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                                .readResponse()
                                .status())
                        .isEqualTo(200);
            }
            assertThat(gateway.gateway().checks()).isEmpty();
            assertThat(node.requests()).hasSize(1);
        }
    }
}
