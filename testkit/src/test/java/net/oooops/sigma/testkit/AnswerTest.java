package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class AnswerTest {
    private static final String GET = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";

    @Test
    void answersAsDescribed() throws IOException {
        try (var upstream = ScriptedUpstream.start(request -> switch (request.target()) {
            case "/chunked" -> Answer.ok("hello").chunked(2).trailer("X-T", "1").header("X-A", "b");
            case "/until-close" ->
                Answer.of(206).reason("Some").body("hello").http10().untilClose();
            case "/given" -> Answer.of(200).header("Content-Length", "0").header("Connection", "close");
            default -> Answer.of(304).header("ETag", "\"x\"");
        })) {
            assertThat(raw(upstream, "/chunked", "close"))
                    .isEqualTo("HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "2\r\nhe\r\n2\r\nll\r\n1\r\no\r\n0\r\nX-T: 1\r\n\r\n");
            assertThat(raw(upstream, "/until-close", "")).isEqualTo("HTTP/1.0 206 Some\r\n\r\nhello");
            assertThat(raw(upstream, "/given", ""))
                    .isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            assertThat(raw(upstream, "/", "close")).isEqualTo("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n");
        }
    }

    private static String raw(ScriptedUpstream upstream, String target, String halfClose) throws IOException {
        try (var client = RawClient.connect(upstream.port())) {
            client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
            if (!halfClose.isEmpty()) {
                client.halfClose();
            }
            return Wire.latin1(client.readUntilClose());
        }
    }

    @Test
    void answersHeadWithoutBody() throws IOException {
        try (var upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                var client = RawClient.connect(upstream.port())) {
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + GET);

            RawResponse head = client.readResponse("HEAD");
            assertThat(head.header("content-length")).isEqualTo("5");
            assertThat(head.bodyEnd()).isEqualTo(BodyEnd.NONE);
            assertThat(client.readResponse().bodyText()).isEqualTo("hello");
        }
    }
}
