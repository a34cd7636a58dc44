package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timeouts that a reload changes hold for connections of HTTP/2 that are there already. */
class Http2TimeoutsReloadTest {
    private final ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("yes"));

    @AfterEach
    void stop() {
        upstream.close();
    }

    private String json(String timeouts) {
        return """
                {
                  "proxy-server": { "http": { "id": "web", "timeouts": %s } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [{ "id": "all", "path": "/*", "proxy-pass-id": "node" }] }],
                  "proxy-pass": [{ "id": "node", "upstream-id": "node" }],
                  "upstream": [{ "id": "node", "nodes": ["%s"] }]
                }
                """.formatted(timeouts, upstream.url());
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
