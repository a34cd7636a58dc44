package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What clients of gRPC are told beside a status: as metadata, what others find in the head of an answer. */
class GrpcRefusalTest {
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayFixture gateway(PluginConfig... plugins) {
        return GatewayFixture.to(node)
                .plugins(Probe.LOADER)
                .route("/*", plugins)
                .start();
    }

    private static Map<String, String> call(Http2Client client, int stream) throws IOException {
        client.request(stream, true, "POST", "/a", "content-type", "application/grpc", "te", "trailers");
        return client.fields(client.await(Http2Client.HEADERS));
    }

    @Test
    void whenToComeAgainIsTold() throws IOException {
        PluginConfig limit =
                GatewayFixture.plugin("rate-limit", Map.of("limits", List.of(Map.of("requests", 1, "per", "1h"))));
        try (GatewayFixture gateway = gateway(limit);
                Http2Client client = Http2Client.connect(gateway)) {
            call(client, 1);
            assertThat(call(client, 3))
                    .containsEntry(":status", "200")
                    .containsEntry("grpc-status", "8")
                    .containsKeys("retry-after", "ratelimit");
        }
    }

    /** What says something of a body that isn't there stays away, and the status is Sigma's. */
    @Test
    void ofAPluginsAnswerAllButItsBody() throws IOException {
        Response response = Response.withBody(
                401,
                List.of(
                        Field.of("Content-Type", "text/plain"),
                        Field.of("content-language", "en"),
                        Field.of("ETag", "\"a\""),
                        Field.of("grpc-status", "0"),
                        Field.of("WWW-Authenticate", "Bearer realm=\"a\""),
                        Field.of("X-Own", "b")),
                new byte[] {'n', 'o'});
        Probe refuses = Probe.probe().onRequest(x -> Outcome.respond(response));
        try (GatewayFixture gateway = gateway(refuses.config());
                Http2Client client = Http2Client.connect(gateway)) {
            assertThat(call(client, 1))
                    .containsEntry(":status", "200")
                    .containsEntry("content-type", "application/grpc")
                    .containsEntry("grpc-status", "16")
                    .containsEntry("www-authenticate", "Bearer realm=\"a\"")
                    .containsEntry("x-own", "b")
                    .doesNotContainKeys("content-language", "etag");
        }
    }

    @Test
    void ofAFaultOfSigmasOwnToo() throws IOException {
        Probe overloaded = Probe.probe().onRequest(x -> Outcome.refuse(Fault.OVERLOADED));
        try (GatewayFixture gateway = gateway(overloaded.config());
                Http2Client client = Http2Client.connect(gateway)) {
            assertThat(call(client, 1)).containsEntry("grpc-status", "14").containsEntry("retry-after", "1");
        }
    }
}
