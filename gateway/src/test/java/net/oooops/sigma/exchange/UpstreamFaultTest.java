package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.ConnectionEnd;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the client gets where a node fails, and what is counted. */
class UpstreamFaultTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    /** A node that answers at once does so within that time, also on a machine that stalls. */
    private static final Duration ANSWERED_WITHIN = Duration.ofMillis(1500);

    @Test
    void aRefusedConnectionIs502() throws IOException {
        try (PortHold down = ScriptedUpstream.refusedPort();
                GatewayFixture gateway = GatewayFixture.toPorts(down.port())
                        .client("waitTimeoutNanos", Duration.ofNanos(1))
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.bodyText()).isEqualTo(Fault.CONNECT_FAILED.text() + "\n");
            assertThat(response.head().text()).doesNotContain("127.0.0.1");
            assertThat(gateway.faults(Fault.CONNECT_FAILED)).isEqualTo(1);
            // Another one is opened for who waits, where that is over only after it.
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isBetween(1L, 2L);
            Ask.count(gateway, Counter.REQUESTS_5XX, 1);
            // The client's connection is none the worse.
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(502);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PATCH", "DELETE"})
    void theNextNodeIsTriedForAnyMethodWhereNothingWasSent(String method) throws IOException {
        try (PortHold down = ScriptedUpstream.refusedPort();
                ScriptedUpstream up = ScriptedUpstream.start(request -> Answer.ok("up"));
                GatewayFixture gateway =
                        GatewayFixture.toPorts(down.port(), up.port()).start();
                RawClient client = gateway.connect()) {
            client.send(method + " /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");

            assertThat(client.readResponse().bodyText()).isEqualTo("up");
            assertThat(up.request(0).bodyText()).isEqualTo("hello");
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(1);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isEqualTo(1);
            assertThat(gateway.faults(Fault.CONNECT_FAILED)).isZero();
        }
    }

    @Test
    void eachNodeIsTriedOnceWhereAllAreDown() throws IOException {
        try (PortHold one = ScriptedUpstream.refusedPort();
                PortHold two = ScriptedUpstream.refusedPort();
                PortHold three = ScriptedUpstream.refusedPort();
                GatewayFixture gateway = GatewayFixture.toPorts(one.port(), two.port(), three.port())
                        .client("waitTimeoutNanos", Duration.ofNanos(1))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(502);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isEqualTo(3);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(2);
            assertThat(gateway.faults(Fault.CONNECT_FAILED)).isEqualTo(1);
        }
    }

    @Test
    void aConnectionThatDoesNotComeAboutIs504() throws IOException {
        try (PortHold hanging = ScriptedUpstream.fullBacklogPort();
                GatewayFixture gateway = GatewayFixture.toPorts(hanging.port())
                        .client("connectTimeoutNanos", SHORT)
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.status()).isEqualTo(504);
            assertThat(response.bodyText()).isEqualTo(Fault.CONNECT_TIMEOUT.text() + "\n");
            assertThat(gateway.faults(Fault.CONNECT_TIMEOUT)).isEqualTo(1);
        }
    }

    @Test
    void theNextNodeIsTriedWhereAConnectionDoesNotComeAbout() throws IOException {
        try (PortHold hanging = ScriptedUpstream.fullBacklogPort();
                ScriptedUpstream up = ScriptedUpstream.start(request -> Answer.ok("up"));
                GatewayFixture gateway = GatewayFixture.toPorts(hanging.port(), up.port())
                        .client("connectTimeoutNanos", SHORT)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "hello")).readResponse().bodyText())
                    .isEqualTo("up");
            assertThat(up.request(0).bodyText()).isEqualTo("hello");
        }
    }

    static Stream<Arguments> endsBeforeTheHead() {
        return Stream.of(
                Arguments.of("closed", Script.script().readRequest().close()),
                Arguments.of("reset", Script.script().readRequest().reset()),
                Arguments.of(
                        "closed in the status line",
                        Script.script().readRequest().send("HTTP/1.").close()),
                Arguments.of(
                        "closed in the fields",
                        Script.script()
                                .readRequest()
                                .send("HTTP/1.1 200 OK\r\nA: b\r\n")
                                .close()),
                Arguments.of(
                        "reset in the fields",
                        Script.script()
                                .readRequest()
                                .send("HTTP/1.1 200 OK\r\nA: b\r\n")
                                .reset()),
                Arguments.of(
                        "closed after an interim response",
                        Script.script().readRequest().interim(103).close()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endsBeforeTheHead")
    void anEndBeforeTheHeadIs502WhereNothingIsSentAgain(String name, Script script) throws IOException {
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.play(script, Script.script().thenServe(r -> Answer.ok("no")));
                GatewayFixture gateway =
                        GatewayFixture.to(upstream).withoutRetries().start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.status()).as(name).isEqualTo(502);
            assertThat(gateway.faults(Fault.UPSTREAM_CLOSED)).isEqualTo(1);
            assertThat(upstream.connectionCount()).isEqualTo(1);
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("no");
        }
    }

    static Stream<Arguments> badHeads() {
        return Stream.of(
                        "garbage\r\n\r\n",
                        "SSH-2.0-OpenSSH_9.2\r\n",
                        "HTTP/2.0 200 OK\r\n\r\n",
                        "HTTP/1.1  200 OK\r\n\r\n",
                        "HTTP/1.1 99 Low\r\n\r\n",
                        "HTTP/1.1 099 Low\r\n\r\n",
                        "HTTP/1.1 600 High\r\n\r\n",
                        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
                        "HTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 0\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nA: b\0c\r\nContent-Length: 0\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
                        "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nab",
                        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nab",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n",
                        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nBig: " + "x".repeat(33 << 10) + "\r\n\r\n",
                        "HTTP/1.1 200 OK\r\n" + "A: b\r\n".repeat(101) + "\r\n",
                        "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(17) + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                .map(bytes -> Arguments.of(bytes.substring(0, Math.min(bytes.length(), 60)), bytes));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badHeads")
    void aHeadThatBreaksARuleIs502AndItsConnectionClosed(String name, String bytes) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script().readRequest().send(bytes),
                        Script.script().thenServe(r -> Answer.ok("fine")));
                GatewayFixture gateway =
                        GatewayFixture.to(upstream).withoutRetries().start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.status()).as(name).isEqualTo(502);
            assertThat(response.bodyText()).isEqualTo(Fault.UPSTREAM_PROTOCOL.text() + "\n");
            assertThat(gateway.faults(Fault.UPSTREAM_PROTOCOL)).isEqualTo(1);
            assertThat(upstream.awaitClosed(0)).isIn(ConnectionEnd.CLOSED_BY_PEER, ConnectionEnd.RESET_BY_PEER);
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("fine");
        }
    }

    @Test
    void aResponseThatDoesNotBeginInTimeIs504() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .proxyPass("responseTimeoutNanos", SHORT)
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.status()).isEqualTo(504);
            assertThat(response.bodyText()).isEqualTo(Fault.UPSTREAM_TIMEOUT.text() + "\n");
            assertThat(gateway.faults(Fault.UPSTREAM_TIMEOUT)).isEqualTo(1);
            assertThat(upstream.awaitClosed(0)).isIn(ConnectionEnd.CLOSED_BY_PEER, ConnectionEnd.RESET_BY_PEER);
            assertThat(upstream.requestCount()).as("not repeated").isEqualTo(1);
        }
    }

    @Test
    void aHeadThatTricklesForTooLongIs504() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nA")
                        .awaitPeerClose());
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .proxyPass("responseTimeoutNanos", SHORT)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(504);
            assertThat(gateway.faults(Fault.UPSTREAM_TIMEOUT)).isEqualTo(1);
        }
    }

    @Test
    void theTimeForAResponseBeginsWhenTheRequestIsComplete() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("late"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .proxyPass("responseTimeoutNanos", ANSWERED_WITHIN)
                        .start();
                RawClient client = gateway.connect()) {
            byte[] body = "0123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            client.send(Ask.postHead("/", body.length));
            client.sendInPieces(body, 1, ANSWERED_WITHIN.dividedBy(5));

            assertThat(client.readResponse().bodyText()).isEqualTo("late");
        }
    }

    @Test
    void aNameThatCannotBeResolvedIs503() throws IOException {
        // A label of more than 63 octets is no name at all: no server needs to be asked.
        String name = "a".repeat(64) + ".example";
        try (GatewayFixture gateway = GatewayFixture.toPorts().node(name, 80, 1).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.status()).isEqualTo(503);
            assertThat(response.head().text() + response.bodyText()).doesNotContain("aaa");
            assertThat(gateway.faults(Fault.DNS_FAILED)).isEqualTo(1);
        }
    }

    @Test
    void aNameOfTheHostsFileIsResolved() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("named"));
                GatewayFixture gateway = GatewayFixture.toPorts()
                        .node("localhost", upstream.port(), 1)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("named");
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("named");
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    @Test
    void aHeadResponseWithoutBodyIsComplete() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n")
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                        .readRequest()
                        .send("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n")
                        .readRequest()
                        .respond(Answer.ok("same connection")));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            RawResponse first = client.send(Ask.head("/")).readResponse("HEAD");
            assertThat(first.header("Content-Length")).isEqualTo("10737418240");
            assertThat(first.bodyEnd()).isEqualTo(BodyEnd.NONE);
            assertThat(client.send(Ask.head("/")).readResponse("HEAD").status()).isEqualTo(200);
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(304);
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("same connection");
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    /** Until the rest of a body comes it is its client that is late, not the node; also on a connection that was kept. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc",
                "PUT /b HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc",
                "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
            })
    void aClientThatPausesInItsBodyIsNotTheNodesFault(String begun) throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("up"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .timeout("bodyIdleNanos", ANSWERED_WITHIN)
                        .proxyPass("responseTimeoutNanos", SHORT)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
            client.send(begun);

            assertThat(client.readResponse().status()).isEqualTo(408);
            assertThat(gateway.faults(Fault.REQUEST_TIMEOUT)).isEqualTo(1);
            assertThat(gateway.faults(Fault.UPSTREAM_TIMEOUT)).isZero();
        }
    }
}
