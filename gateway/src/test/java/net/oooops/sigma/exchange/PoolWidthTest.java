package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** With the defaults nobody has to say how many connections to a node there may be. */
class PoolWidthTest {
    /** More than a pool begins with, several times over. */
    private static final int CLIENTS = 400;

    private static final int READERS = 150;

    private static GatewayFixture gateway(ScriptedUpstream upstream) {
        return gateway(upstream, ClientConfig.DEFAULT.maxWaitQueue());
    }

    private static GatewayFixture gateway(ScriptedUpstream upstream, int waitersMax) {
        return GatewayFixture.to(upstream)
                .client("maxPoolSizePerServer", ClientConfig.DEFAULT.maxPoolSizePerServer())
                .client("maxWaitQueue", waitersMax)
                .start();
    }

    private static void close(List<RawClient> clients) {
        clients.forEach(RawClient::close);
    }

    @Test
    void aSlowNodeGetsAsManyConnectionsAsThereAreRequests() throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(slow(gate));
                GatewayFixture gateway = gateway(upstream)) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(gateway.connect());
                clients.getLast().send(Ask.get("/"));
            }
            // None of them is answered before the last one is here.
            upstream.awaitRequests(CLIENTS);
            gate.release();
            for (RawClient client : clients) {
                assertThat(client.readResponse().status()).isEqualTo(200);
            }
            close(clients);
        }
    }

    private static Script[] slow(Gate gate) {
        Script[] scripts = new Script[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            scripts[i] = Script.script().readRequest().stall(gate).respond(Answer.ok("slow"));
        }
        return scripts;
    }

    @Test
    void slowUploadsLeaveConnectionsToOthers() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("fine"));
                GatewayFixture gateway = gateway(upstream)) {
            List<RawClient> slow = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                slow.add(gateway.connect());
                slow.getLast().send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nbegun");
            }
            upstream.awaitConnections(CLIENTS);
            try (RawClient honest = gateway.connect()) {
                for (int i = 0; i < 10; i++) {
                    assertThat(honest.send(Ask.get("/")).readResponse().bodyText())
                            .isEqualTo("fine");
                }
            }
            close(slow);
        }
    }

    @Test
    void slowReadersLeaveConnectionsToOthers() throws IOException {
        GeneratedBody large = GeneratedBody.of(1, 4 << 20);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request ->
                        request.target().equals("/slow") ? Answer.of(200).body(large) : Answer.ok("fine"));
                GatewayFixture gateway = gateway(upstream)) {
            List<RawClient> slow = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                slow.add(gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8 << 10)));
                slow.getLast().send(Ask.get("/slow"));
                slow.getLast().readHead();
            }
            try (RawClient honest = gateway.connect()) {
                for (int i = 0; i < 10; i++) {
                    assertThat(honest.send(Ask.get("/")).readResponse().bodyText())
                            .isEqualTo("fine");
                }
            }
            close(slow);
        }
    }

    /** Nobody may wait here, so whoever would have to is refused. */
    @Test
    void downloadsLeaveConnectionsToOthers() throws IOException {
        Gate gate = new Gate();
        Script[] scripts = new Script[READERS + 1];
        for (int i = 0; i < READERS; i++) {
            scripts[i] = Script.script()
                    .readRequest()
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
                    .stall(gate)
                    .send("half");
        }
        scripts[READERS] =
                Script.script().readRequest().respond(Answer.ok("fine")).repeat();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(scripts);
                GatewayFixture gateway = gateway(upstream, 0)) {
            List<RawClient> downloads = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                downloads.add(gateway.connect());
                assertThat(downloads.getLast().send(Ask.get("/")).readHead().status())
                        .isEqualTo(200);
            }
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("fine");
            }
            gate.release();
            for (RawClient download : downloads) {
                assertThat(download.readRest().bodyText()).isEqualTo("halfhalf");
            }
            close(downloads);
        }
    }

    @Test
    void twoThousandClientsAreAnswered() throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("fine"));
                GatewayFixture gateway = gateway(upstream);
                Crowd crowd = Crowd.of(gateway, 2000)) {
            crowd.send(Ask.get("/"));
            assertThat(crowd.statuses()).hasSize(2000).containsOnly(200);
        }
    }
}
