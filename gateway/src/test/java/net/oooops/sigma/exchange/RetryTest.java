package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent again, and what isn't: semantics of a pooled connection that the node closes. */
class RetryTest {
    /** Answers one request, and closes when it has read a second one. */
    private static final Script CLOSES_ON_SECOND = Script.script()
            .readRequest()
            .respond(Answer.ok("first"))
            .readRequest()
            .close();

    private static final Script READS_TWO = Script.script().readRequest().readRequest();

    private static final Script SERVES = Script.script().thenServe(request -> Answer.ok("fresh"));

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST"})
    void aConnectionClosedWhileIdleIsNotUsed(String method) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script()
                                .readRequest()
                                .respond(Answer.ok("first"))
                                .halfClose()
                                .awaitPeerClose(),
                        SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("first");
            upstream.awaitClosed(0);

            assertThat(client.send(request(method, "")).readResponse().bodyText())
                    .isEqualTo("fresh");
            assertThat(upstream.connectionCount()).isEqualTo(2);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "QUERY"})
    void anIdempotentRequestIsSentAgainOnAFreshConnection(String method) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(CLOSES_ON_SECOND, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            client.send(method + " /again?a=b HTTP/1.1\r\nHost: a\r\nX-Mark: 1\r\n\r\n");
            assertThat(client.readResponse(method).status()).isEqualTo(200);
            assertThat(upstream.connectionCount()).isEqualTo(2);
            assertThat(upstream.request(2).method()).isEqualTo(method);
            assertThat(upstream.request(2).target()).isEqualTo("/again?a=b");
            assertThat(upstream.request(2).headers().values("X-Mark")).containsExactly("1");
            assertThat(upstream.request(2).headers().all())
                    .isEqualTo(upstream.request(1).headers().all());
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(1);
            assertThat(gateway.faults(Fault.UPSTREAM_CLOSED)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PATCH", "LOCK"})
    void anotherRequestIsNotSentAgain(String method) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(CLOSES_ON_SECOND, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            assertThat(client.send(request(method, "")).readResponse().status()).isEqualTo(502);
            assertThat(upstream.connectionCount()).isEqualTo(1);
            assertThat(gateway.faults(Fault.UPSTREAM_CLOSED)).isEqualTo(1);
        }
    }

    @Test
    void withoutRetriesNothingThatWasSentIsSentAgain() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(CLOSES_ON_SECOND, SERVES);
                GatewayFixture gateway =
                        GatewayFixture.to(upstream).withoutRetries().start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            assertThat(client.send(request("DELETE", "")).readResponse().status())
                    .isEqualTo(502);
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    /** A try on a connection that its node had closed isn't one of the three: another follows on the same node, and then other nodes. */
    @Test
    void nodesThatCloseAllTheirConnectionsDontUseUpTheTries() throws IOException {
        Script closes = Script.script().readRequest().close();
        try (ScriptedUpstream one = ScriptedUpstream.play(CLOSES_ON_SECOND, closes);
                ScriptedUpstream two = ScriptedUpstream.play(CLOSES_ON_SECOND, closes);
                ScriptedUpstream three = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.to(one, two, three).start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 12; i++) {
                assertThat(client.send(Ask.get("/" + i)).readResponse().status())
                        .as("request " + i)
                        .isEqualTo(200);
                if (i == 3) {
                    assertThat(one.connectionCount()).as("to the same node").isEqualTo(2);
                }
            }
        }
    }

    /** Who gets it twice can't tell. */
    @ParameterizedTest
    @ValueSource(strings = {"Idempotency-Key: 42\r\nConnection: Idempotency-Key\r\n", "Idempotency-Key:\r\n"})
    void aKeyThatNoNodeSeesIsNone(String fields) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(CLOSES_ON_SECOND, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            assertThat(client.send(request("POST", fields)).readResponse().status())
                    .isEqualTo(502);
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    @Test
    void aPostWithIdempotencyKeyIsSentAgain() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(CLOSES_ON_SECOND, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            assertThat(client.send(request("POST", "Idempotency-Key: \"42\"\r\n"))
                            .readResponse()
                            .bodyText())
                    .isEqualTo("fresh");
            assertThat(upstream.connectionCount()).isEqualTo(2);
        }
    }

    @Test
    void aBodyThatWasSentIsSentAgainWhereItWasKept() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(CLOSES_ON_SECOND, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(client.readResponse().bodyText()).isEqualTo("fresh");
            assertThat(upstream.request(1).bodyText()).isEqualTo("hello");
            assertThat(upstream.request(2).bodyText()).isEqualTo("hello");
        }
    }

    @Test
    void aBodyInChunksIsSentAgainWithItsTrailersPlace() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(CLOSES_ON_SECOND, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            client.send(
                    "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("fresh");
            assertThat(upstream.request(2).bodyText()).isEqualTo("abcde");
        }
    }

    @Test
    void aBodyLargerThanIsKeptIsNotSentAgain() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(CLOSES_ON_SECOND, SERVES);
                GatewayFixture gateway =
                        GatewayFixture.to(upstream).retry("bodyBytesMax", 4).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(client.readResponse().status()).isEqualTo(502);
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    @Test
    void nothingIsSentMoreOftenThanThereAreTries() throws IOException {
        Script closes = Script.script().readRequest().close();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(closes, closes, closes, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(502);
            assertThat(upstream.requestCount()).isEqualTo(3);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(2);
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("fresh");
        }
    }

    @Test
    void whatIsSentAgainGetsAFreshConnectionThoughItHasToWait() throws IOException {
        Gate gate = new Gate();
        Script stalls = Script.script()
                .readRequest()
                .respond(Answer.ok("first"))
                .readRequest()
                .stall(gate)
                .respond(Answer.ok("slow"))
                .readRequest()
                .close();
        Gate other = new Gate();
        Script holds = Script.script().readRequest().stall(other).respond(Answer.ok("held"));
        try (ScriptedUpstream upstream = ScriptedUpstream.play(READS_TWO, stalls, holds, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", 2)
                        .start();
                RawClient one = gateway.connect();
                RawClient two = gateway.connect();
                RawClient three = gateway.connect()) {
            // Two connections, the first one idle, the second one busy until the gate opens.
            one.send(Ask.get("/"));
            upstream.awaitRequests(1);
            two.send(Ask.get("/")).readResponse();
            two.send(Ask.get("/slow"));
            upstream.awaitRequests(3);
            upstream.connection(0).write(Answer.ok("first").bytes());
            one.readResponse();
            // Sent on the first one, whose slot goes to another when it breaks.
            one.send(Ask.get("/again"));
            upstream.awaitRequests(4);
            three.send(Ask.get("/waits"));
            Await.value("waiting", () -> Ask.pool(gateway).waiting(), n -> n == 1);
            upstream.connection(0).close();

            upstream.awaitRequests(5);
            gate.release();
            assertThat(two.readResponse().bodyText()).isEqualTo("slow");
            assertThat(one.readResponse().bodyText()).isEqualTo("fresh");
            other.release();
            assertThat(three.readResponse().bodyText()).isEqualTo("held");
            assertThat(gateway.faults(Fault.UPSTREAM_CLOSED)).isZero();
        }
    }

    /** Nothing of it went to the client. */
    @Test
    void whatWasAnsweredByHalfAHeadIsSentAgain() throws IOException {
        Script halfAnswers = Script.script()
                .readRequest()
                .respond(Answer.ok("first"))
                .readRequest()
                .send("HTTP/1.1 2")
                .close();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(halfAnswers, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("fresh");
        }
    }

    @Test
    void whatWasAnsweredByAnInterimResponseIsNotSentAgain() throws IOException {
        Script interim = Script.script()
                .readRequest()
                .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
                .close();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(interim, SERVES);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));

            assertThat(client.readHead().status()).isEqualTo(103);
            assertThat(client.readResponse().status()).isEqualTo(502);
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    private static String request(String method, String field) {
        return method + " / HTTP/1.1\r\nHost: a\r\n" + field + "Content-Length: 0\r\n\r\n";
    }
}
