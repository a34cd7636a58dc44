package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScriptedUpstreamTest {
    private static final String GET = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String POST = "POST /p?q=1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n4\r\ndefg\r\n0\r\nX-T: 1\r\n\r\n";

    @Test
    void servesByHandlerAndKeepsTheConnection() throws IOException {
        try (var upstream = ScriptedUpstream.start(request -> Answer.ok("to " + request.target()));
                var client = RawClient.connect(upstream.port())) {
            assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("to /a");
            assertThat(client.send(POST).readResponse().bodyText()).isEqualTo("to /p?q=1");

            assertThat(upstream.connectionCount()).isEqualTo(1);
            assertThat(upstream.awaitRequests(2))
                    .extracting(ReceivedRequest::method, ReceivedRequest::numberOnConnection, ReceivedRequest::order)
                    .containsExactly(tuple("GET", 0, 0), tuple("POST", 1, 1));
        }
    }

    @Test
    void recordsARequestHoweverItIsCut() throws IOException {
        for (int pieceBytes = 1; pieceBytes <= POST.length(); pieceBytes++) {
            try (var upstream = ScriptedUpstream.start(request -> Answer.of(204));
                    var client = RawClient.connect(upstream.port())) {
                client.sendInPieces(POST, pieceBytes).readResponse();

                ReceivedRequest request = upstream.request(0);
                assertThat(request.head()).isEqualTo(POST.substring(0, POST.indexOf("3\r\nabc")));
                assertThat(request.version()).isEqualTo("HTTP/1.1");
                assertThat(request.header("host")).isEqualTo("a");
                assertThat(request.bodyText()).isEqualTo("abcdefg");
                assertThat(request.bodySha256())
                        .isEqualTo("7d1a54127b222502f5b79b5fb0803061152a44f92b37e23c6527baf665d4da9a");
                assertThat(request.trailers().all()).containsExactly(new Header("X-T", "1"));
                assertThat(request.complete()).isTrue();
            }
        }
    }

    @Test
    void answersPipelinedRequestsInOrder() throws IOException {
        try (var upstream = ScriptedUpstream.start(request -> Answer.ok("" + request.order()));
                var client = RawClient.connect(upstream.port())) {
            client.send(GET + POST + GET);

            for (int i = 0; i < 3; i++) {
                assertThat(client.readResponse().bodyText()).isEqualTo("" + i);
            }
        }
    }

    @Test
    void answersEarlyAndLeavesTheBodyUnread() throws IOException {
        var gate = new Gate();
        try (var upstream = ScriptedUpstream.startOnHead(
                        request -> Script.script().respond(413, "no").stall(gate));
                var client = RawClient.connect(upstream.port())) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");

            assertThat(client.readResponse().status()).isEqualTo(413);
            ReceivedRequest request = upstream.request(0);
            assertThat(request.bodyEnd()).isEqualTo(BodyEnd.UNREAD);
            assertThatThrownBy(request::body).hasMessageContaining("still being read, 0 bytes so far");
            client.send("12345" + GET);
            gate.release();
            assertThat(client.readResponse().status()).isEqualTo(413);
            assertThat(request.bodyText()).isEqualTo("12345");
        }
    }

    @Test
    void readsOnlyAPartOfTheBody() throws IOException {
        var gate = new Gate();
        Script script =
                Script.script().readHead().readBody(2).stall(gate).readBody().respond(Answer.of(201));
        try (var upstream = ScriptedUpstream.play(script);
                var client = RawClient.connect(upstream.port())) {
            client.send(POST);
            Await.until("stalled", () -> gate.waiting() == 1);

            assertThat(upstream.request(0).bodyBytes()).isEqualTo(2);
            gate.release();
            assertThat(client.readResponse().status()).isEqualTo(201);
            assertThat(upstream.request(0).bodyBytes()).isEqualTo(7);
        }
    }

    @Test
    void sendsInterimResponsesFirst() throws IOException {
        Script script = Script.script()
                .readHead()
                .interim(100)
                .readBody()
                .interim(103, new Header("Link", "</b>"))
                .respond(200, "x");
        try (var upstream = ScriptedUpstream.play(script);
                var client = RawClient.connect(upstream.port())) {
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n");
            assertThat(client.readHead().text()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            RawResponse response = client.send("1").readResponse();

            assertThat(response.interim().get(0).text()).isEqualTo("HTTP/1.1 103 Early Hints\r\nLink: </b>\r\n\r\n");
            assertThat(response.bodyText()).isEqualTo("x");
        }
    }

    @Test
    void echoesTheBodyInChunksWhileItComes() throws IOException {
        try (var upstream = ScriptedUpstream.startOnHead(
                        request -> Script.script().echoChunked(new Header("X-Echo", "2")));
                var client = RawClient.connect(upstream.port())) {
            client.send(POST.substring(0, POST.indexOf("4\r\n")));

            assertThat(client.readHead().header("Trailer")).isEqualTo("X-Echo");
            assertThat(client.readBody(3)).asString().isEqualTo("abc");
            client.send(POST.substring(POST.indexOf("4\r\n")));
            RawResponse response = client.readRest();
            assertThat(response.bodyText()).isEqualTo("abcdefg");
            assertThat(response.trailers().all()).containsExactly(new Header("X-T", "1"), new Header("X-Echo", "2"));
        }
    }

    @Test
    void playsAScriptForEachConnection() throws IOException {
        try (var upstream = ScriptedUpstream.play(
                Script.script().readRequest().reset(),
                Script.script().readRequest().respond(200, "second").close(),
                Script.script().readRequest().respond(200, "further").repeat())) {
            try (var client = RawClient.connect(upstream.port())) {
                client.send(GET).expectReset();
            }
            try (var client = RawClient.connect(upstream.port())) {
                assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("second");
                client.expectCleanClose();
            }
            for (int i = 0; i < 2; i++) {
                try (var client = RawClient.connect(upstream.port())) {
                    assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("further");
                    assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("further");
                }
            }
            assertThat(upstream.awaitClosed(0)).isEqualTo(ConnectionEnd.RESET_HERE);
            assertThat(upstream.awaitClosed(1)).isEqualTo(ConnectionEnd.CLOSED_HERE);
            assertThat(upstream.awaitClosed(2)).isEqualTo(ConnectionEnd.CLOSED_BY_PEER);
            upstream.awaitAllClosed();
        }
    }

    @Test
    void sendsMoreThanTheResponseAndWritesOntoIdleConnections() throws IOException {
        try (var upstream = ScriptedUpstream.play(
                        Script.script().readRequest().respond(Answer.of(204)).send("extra"));
                var client = RawClient.connect(upstream.port())) {
            client.send(GET).readResponse();
            assertThat(client.readExactly(5)).asString().isEqualTo("extra");

            upstream.connection(0).write("HTTP/1.1 408 Idle\r\nContent-Length: 0\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(408);
            upstream.connection(0).close();
            client.expectCleanClose();
        }
    }

    @Test
    void keepsWhatNoScriptAskedFor() throws IOException {
        try (var upstream = ScriptedUpstream.play(Script.script().readRequest().respond(200, "once"));
                var client = RawClient.connect(upstream.port())) {
            client.send(GET).readResponse();
            client.send("GET /again").close();

            assertThat(upstream.awaitClosed(0)).isEqualTo(ConnectionEnd.CLOSED_BY_PEER);
            upstream.awaitAllClosed();
            assertThat(upstream.connection(0).unexpected()).asString().isEqualTo("GET /again");
        }
    }

    @Test
    void blackholeReadsAndNeverAnswers() throws IOException {
        try (var upstream = ScriptedUpstream.blackhole();
                var client = RawClient.connect(upstream.port())) {
            client.send(GET);
            upstream.awaitRequests(1);

            client.expectSilence(Duration.ofMillis(20));
            client.reset();
            assertThat(upstream.awaitClosed(0)).isEqualTo(ConnectionEnd.RESET_BY_PEER);
        }
    }

    @Test
    void seesThatARequestWasCut() throws IOException {
        try (var upstream = ScriptedUpstream.start(request -> Answer.ok("never"));
                var client = RawClient.connect(upstream.port())) {
            client.send(POST.substring(0, POST.length() - 1)).halfClose();

            client.expectClosed();
            ReceivedRequest request = upstream.request(0);
            assertThat(request.bodyEnd()).isEqualTo(BodyEnd.CUT_BY_CLOSE);
            assertThat(request.complete()).isFalse();
            assertThat(upstream.failures()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
                "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
                "P@ST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n"
            })
    void failsWhereAGatewaySendsWhatItMustNot(String request) throws IOException {
        var upstream = ScriptedUpstream.start(received -> Answer.ok("never"));
        try (var client = RawClient.connect(upstream.port())) {
            client.send(request).expectClosed();
        }

        assertThat(upstream.failures()).hasSize(1);
        assertThatThrownBy(upstream::close)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("failures (expected: none): [connection 0: ");
    }

    @Test
    void failsWhereAScriptFails() throws IOException {
        var upstream = ScriptedUpstream.start(request -> {
            throw new IllegalStateException("handler");
        });
        try (var client = RawClient.connect(upstream.port())) {
            client.send(GET).expectClosed();
        }

        assertThatThrownBy(upstream::close)
                .hasMessageContaining("script failed: java.lang.IllegalStateException: handler");
    }

    @Test
    void comesBackAtTheSamePort() throws IOException {
        // A port outside the range that the system gives out, or another program could take it in between.
        int port = FreePorts.one();
        try (var first = ScriptedUpstream.start(
                        UpstreamOptions.defaults().withPort(port), request -> Answer.ok("first"));
                var client = RawClient.connect(first.port())) {
            client.send(GET).readResponse();
        }
        try (var second = ScriptedUpstream.start(
                        UpstreamOptions.defaults().withPort(port), request -> Answer.ok("second"));
                var client = RawClient.connect(second.port())) {
            assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("second");
        }
    }

    @Test
    void keepsOnlySoManyRequestsAndCountsAll() throws IOException {
        var options = UpstreamOptions.defaults().withRequestsKept(2);
        try (var upstream = ScriptedUpstream.start(options, request -> Answer.of(204));
                var client = RawClient.connect(upstream.port())) {
            IntStream.range(0, 5).forEach(i -> exchange(client));

            assertThat(upstream.requestCount()).isEqualTo(5);
            assertThat(upstream.requests()).extracting(ReceivedRequest::order).containsExactly(0, 1);
        }
    }

    private static void exchange(RawClient client) {
        try {
            client.send(GET).readResponse();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
