package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** A reload takes a server away with all that it leads to: what is left of it goes by what it came in under, to its end. */
class LeavingServersTest {
    private static final int KEPT = 20;
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    private final int[] ports = FreePorts.several(2);

    /** With a server that follows others. */
    private static final class Reloaded extends WrittenGateway {
        private Reloaded(ObjectNode root) throws StartException {
            super(root, 1);
        }

        void reload(ObjectNode root) throws StartException {
            follow(root);
        }

        static ObjectNode root(String id, int port, ScriptedUpstream node) throws IOException {
            String json = """
                    {
                      "proxy-server": { "http": { "id": "ID", "host": "127.0.0.1", "port": %d } },
                      "timeouts": { "drain-idle": "20s" },
                      "router": [{
                        "id": "ID", "proxy-server-id": "ID", "route": [{ "id": "ID", "path": "/*", "proxy-pass-id": "ID" }]
                      }],
                      "proxy-pass": [{ "id": "ID", "upstream-id": "ID" }],
                      "upstream": [{ "id": "ID", "nodes": ["%s"] }]
                    }
                    """.replace("ID", id).formatted(port, node.url());
            ObjectNode root = (ObjectNode) JSON.readTree(json);
            root.set("runtime", runtime());
            return root;
        }
    }

    @Test
    void theLastRequestsOfItsConnectionsAreAnswered() throws Exception {
        Gate gate = new Gate();
        List<RawClient> kept = new ArrayList<>();
        try (ScriptedUpstream one =
                        ScriptedUpstream.startOnHead(request -> request.target().equals("/slow")
                                ? Script.script()
                                        .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
                                        .stall(gate)
                                        .send("hello")
                                : Script.script().respond(Answer.ok("one")));
                ScriptedUpstream other = ScriptedUpstream.start(request -> Answer.ok("other"));
                Reloaded gateway = new Reloaded(Reloaded.root("one", ports[0], one));
                RawClient slow = gateway.connect()) {
            for (int i = 0; i < KEPT; i++) {
                RawClient client = gateway.connect();
                kept.add(client);
                assertThat(client.send(GET).readResponse().header("connection")).isNull();
            }
            slow.send(GET.replace("/ ", "/slow ")).readHead();

            gateway.reload(Reloaded.root("other", ports[1], other));

            try (RawClient late = RawClient.connect(ports[1])) {
                assertThat(late.send(GET).readResponse().bodyText()).isEqualTo("other");
            }
            gate.release();
            assertThat(slow.readRest().bodyText()).isEqualTo("hello");
            kept.add(slow);
            for (RawClient client : kept) {
                assertThat(gateway.gateway().generationCount()).isEqualTo(2);
                RawResponse last = client.send(GET).readResponse();
                assertThat(last.bodyText()).isEqualTo("one");
                assertThat(last.header("connection")).isEqualTo("close");
                client.expectCleanClose();
            }
            Await.value("configurations", gateway.gateway()::generationCount, count -> count == 1);
            one.awaitAllClosed();
        } finally {
            kept.forEach(RawClient::close);
        }
    }
}
