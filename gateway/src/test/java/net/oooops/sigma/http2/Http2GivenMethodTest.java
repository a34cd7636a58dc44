package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of HTTP/2 are answered by the method that they sent, whatever a plugin has made of it for the node. */
class Http2GivenMethodTest {
    private static final FieldName TO = FieldName.of("To");

    @ParameterizedTest
    @ValueSource(ints = {5, 1_000_000})
    void headAndGetAreFramedAsTheyWereAsked(int bytes) throws IOException {
        Probe changes = Probe.probe().onRequest(exchange -> {
            String method = exchange.request().value(TO);
            if (method != null) {
                exchange.request().method(method);
            }
            return Outcome.CONTINUE;
        });
        Answer answer = Answer.ok("x".repeat(bytes));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> answer);
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", changes.config())
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            Http2Client.Response head =
                    client.request(1, true, "HEAD", "/", "to", "GET").response(1);
            assertThat(head.head()).containsEntry("content-length", "" + bytes);
            assertThat(head.body()).isEmpty();
            assertThat(head.reset()).isEqualTo(-1);
            assertThat(upstream.requests().getLast().method()).isEqualTo("GET");

            Http2Client.Response get =
                    client.request(3, true, "GET", "/", "to", "HEAD").response(3);
            assertThat(get.head()).containsEntry("content-length", "0");
            assertThat(get.body()).isEmpty();
            assertThat(get.reset()).isEqualTo(-1);
            assertThat(upstream.requests().getLast().method()).isEqualTo("HEAD");

            Http2Client.Response plain = client.get(5, "/").response(5);
            assertThat(plain.body()).hasSize(bytes);
        }
    }
}
