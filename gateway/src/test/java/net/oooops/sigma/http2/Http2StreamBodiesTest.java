package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodySource;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.exchange.GivenSource;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bodies that a plugin's source gives go out on streams of HTTP/2 as their windows allow. */
class Http2StreamBodiesTest {
    private static final int CANCEL = 8;
    private static final int INTERNAL_ERROR = 2;
    private static final GeneratedBody LARGE = GeneratedBody.of(1, 10 * 1024 * 1024);

    private final List<GivenSource> made = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private GatewayFixture gateway;

    private Outcome answer(String path) {
        if (path.equals("/trailers")) {
            return Outcome.respond(Response.stream(200, List.of(), StreamBody.of(new BodySource() {
                @Override
                public Next next(BodyOutput out) {
                    out.write('x');
                    return Next.END;
                }

                @Override
                public void trailers(Head trailers) {
                    trailers.add(Field.of("X-Sum", "1"));
                }
            })));
        }
        GivenSource source = switch (path) {
            case "/throw" ->
                GivenSource.of(out -> {
                    if (out.room() > 0 && !made.isEmpty()) {
                        out.write('x');
                    }
                    throw new IOException("as asked");
                });
            case "/never" -> GivenSource.of(_ -> BodySource.Next.LATER);
            case "/short" ->
                GivenSource.of(out -> {
                    out.write('x');
                    return BodySource.Next.END;
                });
            default -> GivenSource.of(LARGE);
        };
        made.add(source);
        return switch (path) {
            case "/known" -> Outcome.respond(source.response(LARGE.bytes()));
            case "/short" -> Outcome.respond(source.response(2));
            default -> source.outcome();
        };
    }

    @BeforeEach
    void start() {
        Probe answers =
                Probe.probe().onRequest(exchange -> answer(exchange.request().path()));
        gateway = GatewayFixture.toPorts(1)
                .plugins(Probe.LOADER)
                .route("/*", answers.config())
                .timeout("pluginNanos", Duration.ofMillis(300))
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Test
    void largeOnesAreExact() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            byte[] all = LARGE.toBytes();
            Http2Client.Response known = client.get(1, "/known").response(1);
            assertThat(known.body()).isEqualTo(all);
            assertThat(known.head()).containsEntry("content-length", "" + LARGE.bytes());
            Http2Client.Response unknown = client.get(3, "/unknown").response(3);
            assertThat(unknown.body()).isEqualTo(all);
            assertThat(unknown.head()).doesNotContainKeys("content-length", "transfer-encoding");
            Http2Client.Response head =
                    client.request(5, true, "HEAD", "/known").response(5);
            assertThat(head.head()).containsEntry("content-length", "" + LARGE.bytes());
            assertThat(head.body()).isEmpty();
            made.forEach(GivenSource::closed);
            assertThat(client.get(7, "/trailers").response(7).trailers()).isEqualTo(Map.of("x-sum", "1"));
        }
    }

    @Test
    void aStreamThatIsResetEndsItsSource() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 1000)) {
            client.fields(client.get(1, "/unknown").await(Http2Client.HEADERS));
            client.await(Http2Client.DATA);
            client.fields(client.get(3, "/never").await(Http2Client.HEADERS));
            client.reset(1, CANCEL).reset(3, CANCEL);
            Await.until("two", () -> made.size() == 2);
            made.forEach(source -> source.closed(Fault.CLIENT_GONE));
            assertThat(client.get(5, "/trailers").response(5).text()).isEqualTo("x");
        }
        Await.until("none in flight", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
    }

    @Test
    void aConnectionThatIsGoneEndsThemAll() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 1000)) {
            client.get(1, "/unknown").await(Http2Client.DATA);
            client.get(3, "/known").await(Http2Client.DATA);
        }
        made.forEach(source -> source.closed(Fault.CLIENT_GONE));
        assertThat(made).hasSize(2);
    }

    @Test
    void oneThatFailsResetsItsStreamAlone() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            int stream = 1;
            for (String path : List.of("/throw", "/never", "/short")) {
                assertThat(client.get(stream, path).response(stream).reset())
                        .as(path)
                        .isEqualTo(INTERNAL_ERROR);
                made.getLast().closed(Fault.PLUGIN_FAILED);
                stream += 2;
            }
            assertThat(client.get(stream, "/trailers").response(stream).text()).isEqualTo("x");
        }
        assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(3);
    }
}
