package net.oooops.sigma.http2;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A plugin takes its time over the answer to a request that failed half way: what still comes on its stream changes nothing. */
class Http2ParkedRefusalTest {
    private static final Duration BRIEF = Duration.ofMillis(300);

    private final CompletableFuture<Outcome> decision = new CompletableFuture<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final ScriptedUpstream upstream =
            ScriptedUpstream.startOnHead(request -> Script.script().awaitPeerClose());

    @AfterEach
    void stop() {
        upstream.close();
    }

    private GatewayBuilder gateway() {
        Probe slow = probe().onRequest(exchange -> Outcome.CONTINUE).onResponse(exchange -> {
            asked.incrementAndGet();
            exchange.response().add(Field.of("X-Seen", "yes"));
            return Outcome.suspend(decision);
        });
        return GatewayFixture.to(upstream).plugins(Probe.LOADER).route("/*", slow.config());
    }

    private void awaitAsked() {
        Await.until("the plugin asked", () -> asked.get() == 1);
    }

    /** All that was sent before has been looked at. */
    private static void awaitPong(Http2Client client) throws IOException {
        client.ping(1, false).await(Http2Client.PING);
    }

    private static void awaitTwice(Duration time) {
        long until = System.nanoTime() + 2 * time.toNanos();
        Await.until("as much time again", () -> System.nanoTime() >= until);
    }

    /** The plugin lets the answer go. */
    private void assertAnswered(GatewayFixture gateway, Http2Client client, int status, Fault fault)
            throws IOException {
        decision.complete(Outcome.CONTINUE);
        Http2Client.Response response = client.response(1);
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.head()).containsEntry("x-seen", "yes");
        assertThat(asked).hasValue(1);
        assertThat(gateway.faults(fault)).isEqualTo(1);
        assertThat(upstream.requestCount()).isEqualTo(1);
    }

    @Test
    void moreOfABodyThatIsTooLong() throws IOException {
        try (GatewayFixture gateway = gateway().limit("bodyBytesMax", 5).start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/a").data(1, false, "abc");
            upstream.awaitHeads(1);
            client.data(1, false, "def");
            awaitAsked();
            client.data(1, false, "ghi").data(1, true, "jkl");
            awaitPong(client);
            assertAnswered(gateway, client, 413, Fault.BODY_TOO_LARGE);
        }
    }

    /** That the request is malformed besides is said at the end of the stream, not by another answer. */
    @Test
    void trailersThatAreNone() throws IOException {
        try (GatewayFixture gateway = gateway().limit("bodyBytesMax", 5).start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/a").data(1, false, "abc");
            upstream.awaitHeads(1);
            client.data(1, false, "def");
            awaitAsked();
            client.headers(1, true, ":path", "/b");
            awaitPong(client);
            assertAnswered(gateway, client, 413, Fault.BODY_TOO_LARGE);
        }
    }

    /** Its own time passes while the plugin has the answer. */
    @Test
    void aCallWhoseTimePasses() throws IOException {
        try (GatewayFixture gateway = gateway().limit("bodyBytesMax", 5).start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/a", "content-type", "application/grpc", "grpc-timeout", "300m");
            client.data(1, false, "abcdef");
            awaitAsked();
            awaitTwice(BRIEF);
            decision.complete(Outcome.CONTINUE);
            Map<String, String> head = client.fields(client.await(Http2Client.HEADERS));
            assertThat(head).containsEntry("grpc-status", "8").containsEntry("x-seen", "yes");
            assertThat(asked).hasValue(1);
            assertThat(gateway.faults(Fault.UPSTREAM_TIMEOUT)).isZero();
        }
    }

    @Test
    void moreOfABodyThatIsLate() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("bodyIdleNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/a").data(1, false, "abc");
            upstream.awaitHeads(1);
            awaitAsked();
            client.data(1, false, "def");
            awaitTwice(BRIEF);
            client.data(1, true, "ghi");
            awaitPong(client);
            assertAnswered(gateway, client, 408, Fault.REQUEST_TIMEOUT);
        }
    }
}
