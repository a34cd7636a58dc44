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
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawHead;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A response that ends too early is seen by the client as truncated, never as complete. */
class TruncationTest {
    private static final String LENGTH = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello";
    private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
    private static final String UNTIL_CLOSE = "HTTP/1.1 200 OK\r\n\r\nhello";

    static Stream<Arguments> cuts() {
        return Stream.of(
                Arguments.of(
                        "length, closed",
                        Script.script().readRequest().send(LENGTH).close()),
                Arguments.of("length, reset", cutBySign(LENGTH)),
                Arguments.of(
                        "chunked, closed",
                        Script.script().readRequest().send(CHUNKED).close()),
                Arguments.of("chunked, reset", cutBySign(CHUNKED)),
                Arguments.of(
                        "in a chunk, closed",
                        Script.script()
                                .readRequest()
                                .send(CHUNKED + "10\r\nabc")
                                .close()),
                Arguments.of(
                        "in a chunk's size, closed",
                        Script.script().readRequest().send(CHUNKED + "1").close()),
                Arguments.of(
                        "before the last CRLF, closed",
                        Script.script().readRequest().send(CHUNKED + "0\r\n").close()),
                Arguments.of(
                        "in the trailers, closed",
                        Script.script()
                                .readRequest()
                                .send(CHUNKED + "0\r\nA: b\r\n")
                                .close()),
                Arguments.of(
                        "chunk size that is none",
                        Script.script().readRequest().send(CHUNKED + "xyz\r\nabc\r\n0\r\n\r\n")),
                Arguments.of(
                        "chunk without its CRLF",
                        Script.script().readRequest().send(CHUNKED + "3\r\nabcdef\r\n0\r\n\r\n")),
                Arguments.of(
                        "chunk of 2^64 bytes",
                        Script.script().readRequest().send(CHUNKED + "10000000000000000\r\nabc")),
                Arguments.of(
                        "trailer without colon", Script.script().readRequest().send(CHUNKED + "0\r\nnonsense\r\n\r\n")),
                Arguments.of("until close, reset", cutBySign(UNTIL_CLOSE)));
    }

    /** Waits for a request that never comes: the test resets the connection once the client has the beginning of the body. */
    private static Script cutBySign(String begin) {
        return Script.script().readRequest().send(begin).readRequest();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cuts")
    void aCutResponseIsSeenAsCut(String name, Script script) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(script);
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .timeout("lingerNanos", Duration.ofMillis(100))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            RawHead head = client.readHead();
            assertThat(head.status()).as(name).isEqualTo(200);
            assertThat(client.readBody(5)).asString().isEqualTo("hello");
            if (name.endsWith("reset")) {
                upstream.resetConnections();
            }
            RawResponse response = client.readRest();

            assertThat(response.truncated())
                    .as(name + ": " + response.bodyEnd())
                    .isTrue();
            Ask.faults(gateway, Fault.UPSTREAM_TRUNCATED, 1);
            Ask.count(gateway, Counter.REQUESTS_2XX, 1);
            Ask.count(gateway, Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
        }
    }

    static Stream<Arguments> cutsFor10() {
        return Stream.of(
                Arguments.of("length", LENGTH, BodyEnd.CUT_BY_CLOSE),
                Arguments.of("chunked", CHUNKED, BodyEnd.CUT_BY_RESET),
                Arguments.of("until close", UNTIL_CLOSE, BodyEnd.CUT_BY_RESET));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cutsFor10")
    void aClientOf10IsResetWhereOnlyTheCloseWouldEndTheBody(String name, String begin, BodyEnd expected)
            throws IOException {
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.play(Script.script().readRequest().send(begin));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get10("/"));
            client.readHead();
            assertThat(client.readBody(5)).asString().isEqualTo("hello");
            upstream.resetConnections();

            assertThat(client.readRest().bodyEnd()).as(name).isEqualTo(expected);
            Ask.faults(gateway, Fault.UPSTREAM_TRUNCATED, 1);
        }
    }

    @Test
    void aBodyThatPausesForTooLongIsCut() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script().readRequest().send(CHUNKED).awaitPeerClose());
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .proxyPass("idleTimeoutNanos", Duration.ofMillis(300))
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.bodyText()).isEqualTo("hello");
            assertThat(response.truncated()).isTrue();
            Ask.faults(gateway, Fault.UPSTREAM_TRUNCATED, 1);
            upstream.awaitClosed(0);
        }
    }

    @Test
    void aBodyThatTricklesIsNotCut() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .trickle("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nabcdefgh", 5, Duration.ofMillis(300)));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .proxyPass("idleTimeoutNanos", Duration.ofSeconds(2))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("abcdefgh");
        }
    }

    @Test
    void aBodyUntilCloseThatIsClosedIsComplete() throws IOException {
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> Answer.ok("hello").untilClose());
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect();
                RawClient old = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            assertThat(response.bodyText()).isEqualTo("hello");
            RawResponse again = client.send(Ask.get("/")).readResponse();
            assertThat(again.bodyText()).as("the client's connection is kept").isEqualTo("hello");

            RawResponse of10 = old.send(Ask.get10("/")).readResponse();
            assertThat(of10.bodyEnd()).isEqualTo(BodyEnd.CLOSE);
            assertThat(of10.bodyText()).isEqualTo("hello");
            assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isZero();
        }
    }

    /** Netty's multi-shot poll of io_uring loses a RST that comes while data is read: see SocketTransport. */
    @RepeatedTest(20)
    void aResetRightBehindBytesIsSeen() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nA: b\r\n")
                        .reset());
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(502);
        }
    }
}
