package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RawClientTest {
    private static final String GET = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nx-a: 2\r\n\r\n"
            + "5\r\nhello\r\nA\r\n, world\r\n!\r\n0\r\nX-T:  done \r\n\r\n";

    /** An upstream that reads one request and goes on as given. */
    private static ScriptedUpstream upstream(UnaryOperator<Script> rest) {
        return ScriptedUpstream.play(rest.apply(Script.script().readRequest()));
    }

    private static RawResponse answerTo(String method, String answer) throws IOException {
        try (var upstream = upstream(script -> script.send(answer).close());
                var client = RawClient.connect(upstream.port())) {
            return client.send(method + " / HTTP/1.1\r\nHost: a\r\n\r\n").readResponse(method);
        }
    }

    @Test
    void readsAResponseOfKnownLength() throws IOException {
        RawResponse response = answerTo("GET", "HTTP/1.1 404 Not here\r\nContent-Length: 3\r\n\r\nabc");

        assertThat(response.statusLine()).isEqualTo("HTTP/1.1 404 Not here");
        assertThat(response.status()).isEqualTo(404);
        assertThat(response.bodyText()).isEqualTo("abc");
        assertThat(response.bodySha256()).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assertThat(response.bodyEnd()).isEqualTo(BodyEnd.LENGTH);
        assertThat(response.truncated()).isFalse();
        assertThat(response.head().text()).isEqualTo("HTTP/1.1 404 Not here\r\nContent-Length: 3\r\n\r\n");
    }

    @Test
    void readsTheSameHoweverTheResponseIsCut() throws IOException {
        for (int pieceBytes = 1; pieceBytes <= CHUNKED.length(); pieceBytes++) {
            int size = pieceBytes;
            try (var upstream = upstream(script -> script.trickle(CHUNKED, size, Duration.ofNanos(1)));
                    var client = RawClient.connect(upstream.port())) {
                RawResponse response = client.send(GET).readResponse();

                assertThat(response.bodyText()).isEqualTo("hello, world\r\n!");
                assertThat(response.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
                assertThat(response.trailers().all()).containsExactly(new Header("X-T", "done"));
                assertThat(response.headers().values("X-A")).containsExactly("1", "2");
                assertThat(response.headers().names()).containsExactly("Transfer-Encoding", "X-A", "x-a");
                client.expectSilence(Duration.ofMillis(1));
            }
        }
    }

    @Test
    void readsInPiecesAsASlowClientDoes() throws IOException {
        try (var upstream = upstream(script -> script.send("0123456789 and more"));
                var client = RawClient.connect(upstream.port()).send(GET)) {
            Duration pause = Duration.ofMillis(2);
            long from = System.nanoTime();

            assertThat(client.readInPieces(10, 4, pause)).asString().isEqualTo("0123456789");
            assertThat(System.nanoTime() - from).isGreaterThanOrEqualTo(2 * pause.toNanos());
            assertThat(client.readInPieces(9, 100, pause)).asString().isEqualTo(" and more");
        }
    }

    @Test
    void readsInPiecesOnlyWhatComes() throws IOException {
        try (var upstream = upstream(script -> script.send("0123456789").close());
                var client = RawClient.connect(upstream.port()).send(GET)) {
            assertThatThrownBy(() -> client.readInPieces(11, 4, Duration.ZERO)).isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void readsUntilCloseWhereThereIsNoLength() throws IOException {
        RawResponse response = answerTo("GET", "HTTP/1.0 200 OK\r\n\r\nto the end");

        assertThat(response.bodyText()).isEqualTo("to the end");
        assertThat(response.bodyEnd()).isEqualTo(BodyEnd.CLOSE);
    }

    @Test
    void knowsResponsesWithoutBody() throws IOException {
        String length = "Content-Length: 10\r\n\r\n";

        assertThat(answerTo("HEAD", "HTTP/1.1 200 OK\r\n" + length).bodyEnd()).isEqualTo(BodyEnd.NONE);
        assertThat(answerTo("GET", "HTTP/1.1 304 Not Modified\r\n" + length).bodyEnd())
                .isEqualTo(BodyEnd.NONE);
        assertThat(answerTo("GET", "HTTP/1.1 204 No Content\r\n\r\n").bodyEnd()).isEqualTo(BodyEnd.NONE);
        assertThat(answerTo("GET", "HTTP/1.1 200 OK\r\n" + length).bodyEnd()).isEqualTo(BodyEnd.CUT_BY_CLOSE);
    }

    @Test
    void collectsInterimResponses() throws IOException {
        RawResponse response = answerTo(
                "GET",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

        assertThat(response.interim()).extracting(RawHead::status).containsExactly(100, 103);
        assertThat(response.interim().get(1).header("link")).isEqualTo("</a>");
        assertThat(response.status()).isEqualTo(200);
    }

    @Test
    void tellsHowABodyWasCut() throws IOException {
        Answer answer = Answer.ok("0123456789");
        int bytes = answer.bytes().length - 4;
        try (var upstream = ScriptedUpstream.play(
                        Script.script().readRequest().sendCut(answer, bytes).close(),
                        Script.script().readRequest().sendCut(answer, bytes).stall(new Gate()));
                var closed = RawClient.connect(upstream.port());
                var reset = RawClient.connect(upstream.port())) {
            RawResponse cut = closed.send(GET).readResponse();
            reset.send(GET).readHead();
            assertThat(reset.readBody(6)).asString().isEqualTo("012345");
            upstream.connection(1).reset();

            assertThat(cut.bodyEnd()).isEqualTo(BodyEnd.CUT_BY_CLOSE);
            assertThat(cut.truncated()).isTrue();
            assertThat(cut.bodyText()).isEqualTo("012345");
            assertThat(reset.readRest().bodyEnd()).isEqualTo(BodyEnd.CUT_BY_RESET);
        }
    }

    @Test
    void cutChunkedBodyIsTruncatedWhereverItIsCut() throws IOException {
        int head = CHUNKED.indexOf("\r\n\r\n") + 4;
        for (int bytes = head; bytes < CHUNKED.length(); bytes++) {
            RawResponse response = answerTo("GET", CHUNKED.substring(0, bytes));

            assertThat(response.truncated()).as("after %s bytes", bytes).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
                "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/2 200\r\n\r\n",
                "HTTP/1.1 200\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\na\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n"
            })
    void refusesWhatAGatewayMustNotSend(String answer) {
        assertThatThrownBy(() -> answerTo("GET", answer))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("received on this connection: " + answer.length() + " bytes")
                .hasMessageContaining(Wire.show(Wire.latin1(answer)));
    }

    @Test
    void failsAtTheDeadlineAndShowsWhatCame() throws IOException {
        try (var upstream = upstream(script -> script.send("HTTP/1.1 200 OK\r\nX"));
                var client = RawClient.connect(upstream.port())) {
            client.send(GET);
            assertThat(client.readExactly(1)).asString().isEqualTo("H");
            client.deadline(Duration.ofMillis(50));

            assertThatThrownBy(client::readResponse)
                    .isInstanceOf(AssertionError.class)
                    .hasMessage("nothing more within 50 ms; received on this connection: 18 bytes:\n"
                            + "HTTP/1.1 200 OK\\r\\n\nX");
        }
    }

    @Test
    void failsAtTheDeadlineWhenThePeerDoesNotRead() throws IOException {
        var gate = new Gate();
        try (var upstream = ScriptedUpstream.play(Script.script().stall(gate));
                var client = RawClient.connect(
                        upstream.port(), ClientOptions.defaults().withDeadline(Duration.ofMillis(100)))) {
            assertThatThrownBy(() -> client.send(GeneratedBody.of(1, 1L << 30)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("sending: not taken within 100 ms, after ");
            gate.release();
        }
    }

    @Test
    void showsWhatCameWhereTheConnectionEndsBeforeTheHeadDoes() throws IOException {
        try (var upstream = upstream(script -> script.send("HTTP/1.1 20").close());
                var client = RawClient.connect(upstream.port())) {
            client.send(GET);

            assertThatThrownBy(client::readResponse)
                    .isInstanceOf(AssertionError.class)
                    .hasMessage("response head: connection ended: CLOSED_BY_PEER; "
                            + "received on this connection: 11 bytes:\nHTTP/1.1 20");
        }
    }

    @Test
    void expectsTheEndOfTheConnection() throws IOException {
        try (var upstream = ScriptedUpstream.play(
                        Script.script().close(),
                        Script.script().readRequest().reset(),
                        Script.script().send("x").close());
                var closed = RawClient.connect(upstream.port())) {
            closed.expectCleanClose();
            closed.expectClosed();
            assertThatThrownBy(closed::expectReset).hasMessageStartingWith("FIN (expected: nothing more, then RST)");
            try (var reset = RawClient.connect(upstream.port())) {
                reset.send(GET).expectReset();
            }
            try (var more = RawClient.connect(upstream.port())) {
                assertThatThrownBy(more::expectClosed)
                        .hasMessageStartingWith("1 bytes more, then CLOSED_BY_PEER (expected: nothing more");
            }
        }
    }

    @Test
    void expectsSilence() throws IOException {
        var gate = new Gate();
        try (var upstream = ScriptedUpstream.play(Script.script().stall(gate).send("late"));
                var client = RawClient.connect(upstream.port())) {
            client.expectSilence(Duration.ofMillis(20));
            gate.release();

            assertThatThrownBy(() -> client.expectSilence(Duration.ofSeconds(10)))
                    .hasMessageStartingWith("4 bytes more (expected: nothing for 10000 ms)");
            assertThat(client.readExactly(4)).asString().isEqualTo("late");
        }
    }

    @Test
    void readsAResponseInSteps() throws IOException {
        try (var upstream = upstream(script -> script.send(CHUNKED + "extra").close());
                var client = RawClient.connect(upstream.port())) {
            client.send(GET);

            assertThat(client.readHead().status()).isEqualTo(200);
            assertThat(client.readBody(4)).asString().isEqualTo("hell");
            assertThat(client.readBody(4)).asString().isEqualTo("o, w");
            assertThatIllegalStateException().isThrownBy(client::readHead).withMessageContaining("readRest first");
            assertThat(client.readRest().bodyText()).isEqualTo("hello, world\r\n!");
            assertThat(client.readUntilClose()).asString().isEqualTo("extra");
        }
    }

    @Test
    void failsWhereTheBodyIsShorterThanAsked() throws IOException {
        try (var upstream = upstream(script -> script.respond(200, "abc"));
                var client = RawClient.connect(upstream.port())) {
            client.send(GET).readHead();

            assertThatThrownBy(() -> client.readBody(4))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("body: 3 bytes, then LENGTH (expected: 4 bytes)");
        }
    }

    @Test
    void sendsUntilThePeerCloses() throws IOException {
        byte[] request = new byte[64 * 1024];
        try (var upstream = ScriptedUpstream.play(Script.script().readRequest().reset(), Script.script());
                var refused = RawClient.connect(upstream.port())) {
            refused.send(GET).expectReset();

            assertThat(refused.sendUnlessClosed(request, 1)).isFalse();
            try (var taken = RawClient.connect(upstream.port())) {
                assertThat(taken.sendUnlessClosed(request, 1000)).isTrue();
            }
        }
    }

    @Test
    void connectsFromAnotherAddress() throws IOException {
        try (var upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                var client = RawClient.connect(
                        upstream.port(), ClientOptions.defaults().withLocalHost("127.0.0.5"))) {
            assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("hello");
            assertThat(client.socket().getLocalAddress().getHostAddress()).isEqualTo("127.0.0.5");
            assertThat(upstream.connection(0).remotePort()).isEqualTo(client.localPort());
        }
    }
}
