package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timeouts and limits that a reload changes hold for connections of HTTP/2 that are there already. */
class Http2TimeoutsReloadTest {
    private static final int LONG_FIELDS = 10;
    private static final int LONG_FIELD_BYTES = 2000;

    private final ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("yes"));

    @AfterEach
    void stop() {
        upstream.close();
    }

    private String json(String timeouts) {
        return json("timeouts", timeouts);
    }

    private String json(String key, String value) {
        return """
                {
                  "proxy-server": { "http": { "id": "web", "%s": %s } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [{ "id": "all", "path": "/*", "proxy-pass-id": "node" }] }],
                  "proxy-pass": [{ "id": "node", "upstream-id": "node" }],
                  "upstream": [{ "id": "node", "nodes": ["%s"] }]
                }
                """.formatted(key, value, upstream.url());
    }

    private static Http2Client connect(TextGateway gateway) throws IOException {
        return Http2Client.over(new Socket(InetAddress.getLoopbackAddress(), gateway.port()));
    }

    @Test
    void anIdleConnectionIsLetGoInTheNewTime() throws IOException {
        try (TextGateway gateway = TextGateway.start(json("{}"));
                Http2Client client = connect(gateway)) {
            assertThat(client.get(1, "/").response(1).status()).isEqualTo(200);
            gateway.reload(json("{ \"keep-alive\": \"1s\" }"));
            client.await(Http2Client.GOAWAY);
        }
    }

    @Test
    void aBodyThatHasBegunHasTheNewTime() throws IOException {
        try (TextGateway gateway = TextGateway.start(json("{}"));
                Http2Client client = connect(gateway)) {
            assertThat(client.get(1, "/").response(1).status()).isEqualTo(200);
            client.request(3, false, "POST", "/").data(3, false, "abc");
            upstream.awaitHeads(2);

            gateway.reload(json("{ \"body-idle\": \"1s\" }"));

            assertThat(client.response(3).status()).isEqualTo(408);
        }
    }

    /** In several frames, which are measured before they are decoded. */
    @Test
    void aHeadMayBeAsLongAsTheNewLimits() throws IOException {
        List<String> fields =
                new ArrayList<>(List.of(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a.example"));
        for (int i = 0; i < LONG_FIELDS; i++) {
            fields.addAll(List.of("x-" + i, "#".repeat(LONG_FIELD_BYTES)));
        }
        try (TextGateway gateway = TextGateway.start(
                        json("limits", "{ \"header-total\": \"4KiB\", \"request-line\": \"1KiB\" }"));
                Http2Client client = connect(gateway)) {
            assertThat(client.get(1, "/").response(1).status()).isEqualTo(200);
            gateway.reload(json("limits", "{ \"header-total\": \"64KiB\", \"request-line\": \"1KiB\" }"));
            byte[] whole = client.block(fields.toArray(String[]::new));
            int half = whole.length / 2;
            client.frame(Http2Client.HEADERS, Http2Client.END_STREAM, 3, Arrays.copyOf(whole, half))
                    .frame(
                            Http2Client.CONTINUATION,
                            Http2Client.END_HEADERS,
                            3,
                            Arrays.copyOfRange(whole, half, whole.length));
            assertThat(client.response(3).status()).isEqualTo(200);
        }
    }

    @Test
    void anOldConnectionIsTooOldByTheNewTime() throws IOException {
        try (TextGateway gateway = TextGateway.start(json("{}"));
                Http2Client client = connect(gateway)) {
            assertThat(client.get(1, "/").response(1).status()).isEqualTo(200);
            gateway.reload(json("{ \"connection-lifetime\": \"1ms\" }"));
            client.get(3, "/").await(Http2Client.GOAWAY);
        }
    }
}
