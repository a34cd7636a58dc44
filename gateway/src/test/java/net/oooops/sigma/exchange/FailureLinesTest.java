package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import net.oooops.sigma.testkit.Wrapping;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What fails again and again is said once in a while, and each cause of it is named. */
@Isolated("the log")
class FailureLinesTest {
    @Test
    void everyNodeThatFailsIsNamed() throws IOException {
        int[] dead = FreePorts.several(3);
        try (LoggedLines log = new LoggedLines(Worker.class);
                GatewayFixture gateway = GatewayFixture.toPorts(dead)
                        .client("waitTimeoutNanos", Duration.ofNanos(1))
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(502);
            }
            assertThat(log.lines()).hasSize(dead.length);
            for (int port : dead) {
                assertThat(log.lines())
                        .filteredOn(line ->
                                line.startsWith("WARN upstream upstream node 127.0.0.1:" + port + ": CONNECT_FAILED ("))
                        .hasSize(1);
            }
        }
    }

    @Test
    void everyNodeThatBreaksOffIsNamed() throws IOException {
        Script breaks = Script.script().readRequest().close();
        Script babbles = Script.script().readRequest().send("what?\r\n\r\n");
        try (LoggedLines log = new LoggedLines(Worker.class);
                ScriptedUpstream closing = ScriptedUpstream.play(breaks, breaks, breaks, breaks);
                ScriptedUpstream talking = ScriptedUpstream.play(babbles, babbles, babbles, babbles);
                GatewayFixture gateway = GatewayFixture.to(closing, talking).start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 6; i++) {
                assertThat(client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                                .readResponse()
                                .status())
                        .isEqualTo(502);
            }
            String node = "WARN upstream upstream node 127.0.0.1:";
            assertThat(log.lines())
                    .containsExactlyInAnyOrder(
                            node + closing.port() + ": UPSTREAM_CLOSED (" + Fault.UPSTREAM_CLOSED.text() + ")",
                            node + talking.port() + ": UPSTREAM_PROTOCOL (" + Refusal.STATUS_LINE.text() + ")");
        }
    }

    /** With each handshake that agrees on another version than the last one. */
    @ParameterizedTest
    @CsvSource({"h2, HTTP/2", "http/1.1, HTTP/1.1"})
    void theVersionThatIsAgreedOnIsSaidOnce(String alpn, String said) throws IOException {
        try (LoggedLines log = new LoggedLines(Worker.class);
                ScriptedUpstream behind =
                        ScriptedUpstream.start(request -> Answer.ok("ok").header("Connection", "close"));
                GatewayFixture node = GatewayFixture.to(behind)
                        .tls(Encryption.SHARED.speaking(alpn))
                        .start();
                GatewayFixture gateway = GatewayFixture.toPorts(node.port())
                        .nodeTls(Encryption.SHARED.ofNodes("h2", "http/1.1"))
                        .nodeVersion(HttpVersion.AGREED)
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            }
            assertThat(log.lines())
                    .containsExactly(
                            "INFO upstream upstream node 127.0.0.1:" + node.port() + ": " + said + " is agreed on");
        }
    }

    /** What a node says that is spoken to in a version, or with an encryption, that it doesn't speak. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            HTTP_1_1 | 000000040000000000                 | the node speaks HTTP/2: its URL begins with h2c://, or with h2:// over TLS
            HTTP_1_1 | 000012040000000000000300000064     | the node speaks HTTP/2: its URL begins with h2c://, or with h2:// over TLS
            HTTP_1_1 | 0000080700000000000000000000000001 | the node speaks HTTP/2: its URL begins with h2c://, or with h2:// over TLS
            HTTP_1_1 | 15030100020246                     | the node speaks TLS: its URL begins with https://, or with h2:// for HTTP/2
            HTTP_2   | 485454502F312E31203430300D0A0D0A   | the node speaks HTTP/1.1: its URL begins with http://, or with https:// over TLS
            HTTP_2   | 15030100020246                     | the node speaks TLS: its URL begins with h2://, or with https:// for HTTP/1.1
            HTTP_2   | 78787878787878787878               | frame larger than was allowed
            """)
    void aNodeThatSpeaksSomethingElseIsNamedWithWhatItSpeaks(HttpVersion version, String answer, String said)
            throws IOException {
        try (LoggedLines log = new LoggedLines(Worker.class);
                ScriptedUpstream node = ScriptedUpstream.play(
                        UpstreamOptions.defaults().withWrapping(Wrapping.NONE),
                        Script.script().send(HexFormat.of().parseHex(answer)).awaitPeerClose());
                GatewayFixture gateway = GatewayFixture.to(node)
                        .nodeTls(null)
                        .nodeVersion(version)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "")).readResponse().status()).isEqualTo(502);
            assertThat(log.lines())
                    .containsExactly("WARN upstream upstream node 127.0.0.1:" + node.port() + ": UPSTREAM_PROTOCOL ("
                            + said + ")");
        }
    }

    @Test
    void everyPluginThatFailsIsNamed() throws IOException {
        Probe thrower = probe().onRequest(exchange -> {
            throw new IllegalStateException("meant");
        });
        Probe lateThrower = probe().onEnd(exchange -> {
            throw new IllegalStateException("meant");
        });
        Map<String, String> toDots = Map.of("regexp", "x$", "replacement", ".");
        try (LoggedLines log = new LoggedLines(Worker.class);
                ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .plugins(Probe.LOADER)
                        .route("/probe", thrower.config())
                        .route("/late", lateThrower.config())
                        .route("/.x", GatewayFixture.plugin("rewrite-path", toDots))
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(Ask.get("/probe")).readResponse().status())
                        .isEqualTo(500);
                assertThat(client.send(Ask.get("/late")).readResponse().status())
                        .isEqualTo(200);
                assertThat(client.send(Ask.get("/.x")).readResponse().status()).isEqualTo(400);
            }
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(20);
            assertThat(gateway.faults(Fault.REWRITE_REFUSED)).isEqualTo(20);
            assertThat(log.lines())
                    .containsExactly(
                            "WARN plugin probe failed",
                            "WARN plugin rewrite-path made a path that is refused: /.. (a dot segment)");
        }
    }

    @Test
    void aNodeThatSendsMoreThanItsResponseIsNamedOnce() throws IOException {
        String surplus =
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
        try (LoggedLines log = new LoggedLines(Worker.class);
                ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script().readRequest().send(surplus),
                        Script.script().readRequest().send(surplus),
                        Script.script().thenServe(request -> Answer.ok("fine")));
                GatewayFixture gateway = GatewayFixture.to(node).start();
                RawClient client = gateway.connect()) {
            for (String body : new String[] {"ok", "ok", "fine"}) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo(body);
            }
            assertThat(log.lines())
                    .containsExactly("WARN upstream upstream node 127.0.0.1:" + node.port()
                            + ": sent more than its whole response, which is dropped; its connection is closed");
        }
    }
}
