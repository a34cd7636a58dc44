package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A fault of Sigma's own behind one answer: it ends that request, and none of the others whose answers come over the same connection. */
class Http2OwnFaultTest {
    private static final int COLLECTED_BYTES = 10;

    private final RawServer nodes = RawServer.start();

    /** A stage that breaks its own contract: nobody expects its methods to throw. */
    private static final class Broken extends CompletableFuture<Outcome> {
        @Override
        public CompletableFuture<Outcome> whenComplete(BiConsumer<? super Outcome, ? super Throwable> action) {
            throw new IllegalStateException("can't be");
        }
    }

    private static Outcome see(Exchange exchange) {
        return exchange.request().path().equals("/broken") ? Outcome.suspend(new Broken()) : Outcome.CONTINUE;
    }

    @AfterEach
    void stop() {
        nodes.close();
    }

    private void brokenBy(Probe plugin, byte[] body) throws IOException {
        try (GatewayFixture gateway = GatewayFixture.toPorts(nodes.port())
                        .http2Nodes()
                        .plugins(Probe.LOADER)
                        .withoutRetries()
                        .route("/*", plugin.config())
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, true, "GET", "/broken");
            client.request(3, true, "GET", "/fine");
            try (Http2Client node = Http2Client.node(nodes)) {
                node.await(Http2Client.HEADERS);
                node.await(Http2Client.HEADERS);
                node.headers(1, false, ":status", "200");
                node.data(1, false, body);
                assertThat(client.response(1).status()).isEqualTo(500);
                assertThat(node.await(Http2Client.RST_STREAM).stream()).isEqualTo(1);
                node.headers(3, false, ":status", "200");
                node.data(3, true, new byte[] {'o', 'k'});
                assertThat(client.response(3).text()).isEqualTo("ok");
            }
            assertThat(gateway.faults(Fault.INTERNAL)).isEqualTo(1);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
        }
    }

    @Test
    void behindItsHead() throws IOException {
        brokenBy(Probe.probe().onResponse(Http2OwnFaultTest::see), new byte[1]);
    }

    /** More than is collected: that it fails is shown to the plugin. */
    @Test
    void behindAPartOfItsBody() throws IOException {
        brokenBy(
                Probe.probe().wholeResponse(COLLECTED_BYTES).onResponse(Http2OwnFaultTest::see),
                new byte[2 * COLLECTED_BYTES]);
    }
}
