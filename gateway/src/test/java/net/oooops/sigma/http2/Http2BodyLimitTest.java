package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** The plugin {@code body-limit} and streams, which need not name a length. */
class Http2BodyLimitTest {
    @Test
    void streamsAreBoundEachByItself() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .plugin("body-limit", Map.of("max", "5B"))
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/").data(1, false, "hel").data(1, true, "lo");
            assertThat(client.response(1).text()).isEqualTo("hello");
            client.request(3, false, "POST", "/").data(3, false, "hello").data(3, false, "!");
            assertThat(client.response(3).status()).isEqualTo(413);
            client.request(5, false, "POST", "/", "content-length", "6");
            assertThat(client.response(5).status()).isEqualTo(413);
            client.get(7, "/");
            assertThat(client.response(7).status()).isEqualTo(200);
            assertThat(node.requests()).noneMatch(request -> request.bodyBytes() > 5);
        }
    }
}
