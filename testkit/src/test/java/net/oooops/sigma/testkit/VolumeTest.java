package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class VolumeTest {
    private static final int CONNECTIONS = 2_000;
    private static final long BODY_BYTES = 64L << 20;

    @Test
    void servesThousandsOfConnectionsAtOnce() throws IOException {
        var allHere = new Gate();
        List<RawClient> clients = new ArrayList<>();
        try (var upstream =
                ScriptedUpstream.start(request -> Script.script().stall(allHere).respond(200, request.target()))) {
            for (int i = 0; i < CONNECTIONS; i++) {
                RawClient client = RawClient.connect(upstream.port());
                clients.add(client.send("GET /" + i + " HTTP/1.1\r\nHost: a\r\n\r\n"));
            }
            upstream.awaitRequests(CONNECTIONS);
            assertThat(upstream.openConnectionCount()).isEqualTo(CONNECTIONS);
            allHere.release();
            for (int i = 0; i < CONNECTIONS; i++) {
                assertThat(clients.get(i).readResponse().bodyText()).isEqualTo("/" + i);
            }
            clients.forEach(RawClient::close);
            upstream.awaitAllClosed();
        } finally {
            clients.forEach(RawClient::close);
        }
    }

    @Test
    void carriesLongBodiesDown() throws IOException {
        var body = GeneratedBody.of(3, BODY_BYTES);
        try (var upstream = ScriptedUpstream.start(request -> request.target().equals("/chunked")
                        ? Answer.of(200).body(body).chunked(16 * 1024)
                        : Answer.of(200).body(body));
                var client = RawClient.connect(upstream.port()).expectBody(body)) {
            for (String target : List.of("/", "/chunked")) {
                client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
                RawResponse response = client.readResponse();

                assertThat(response.bodyBytes()).isEqualTo(BODY_BYTES);
                assertThat(response.bodyMismatch()).isEqualTo(-1);
            }
        }
    }

    @Test
    void carriesLongBodiesUp() throws IOException {
        var body = GeneratedBody.of(4, BODY_BYTES);
        try (var upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodySha256()));
                var client = RawClient.connect(upstream.port())) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + BODY_BYTES + "\r\n\r\n");
            assertThat(client.send(body).readResponse().bodyText()).isEqualTo(body.sha256());
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            assertThat(client.sendChunked(body, 64 * 1024).readResponse().bodyText())
                    .isEqualTo(body.sha256());
        }
    }

    @Test
    void echoesLongBodiesBothWaysAtOnce() throws IOException, InterruptedException, ExecutionException {
        var body = GeneratedBody.of(5, BODY_BYTES);
        try (var upstream =
                        ScriptedUpstream.startOnHead(request -> Script.script().echoChunked());
                var client = RawClient.connect(upstream.port());
                var sender = Executors.newVirtualThreadPerTaskExecutor()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + BODY_BYTES + "\r\n\r\n");
            Future<RawClient> sent = sender.submit(() -> client.send(body));
            RawResponse response = client.readResponse();

            assertThat(response.bodySha256()).isEqualTo(body.sha256());
            assertThat(upstream.request(0).bodySha256()).isEqualTo(body.sha256());
            assertThat(sent.get()).isSameAs(client);
        }
    }
}
