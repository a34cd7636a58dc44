package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node that stops reading while others are well keeps no client from those. */
class LaggingNodesTest {
    /** Far more than its kernel and Sigma's take. */
    private static final int LARGE = 1 << 20;

    private static final int TIMEOUT_MILLIS = 60_000;

    private static final Map<String, Object> NEVER_EJECTED = Map.of("passive", Map.of("enable", false));

    private final RawServer stopped = RawServer.start(8 << 10);
    private final RawServer one = RawServer.start(8 << 10);
    private final RawServer two = RawServer.start(8 << 10);
    /** Connections that nobody reads: the collector would close them. */
    private final List<RawClient> kept = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        List.of(stopped, one, two).forEach(RawServer::close);
        kept.forEach(RawClient::close);
    }

    private static void echo(RawServer server) {
        Thread.ofVirtual().start(() -> {
            try {
                Echo.serve(server.accept());
            } catch (IOException | AssertionError e) {
                // It got no call.
            }
        });
    }

    /** Those that a node doesn't read aren't over before the test is. */
    private static BoltMessage small(int id) {
        return BoltMessage.request(2, id, "a.B", "x").withWord(TIMEOUT_MILLIS);
    }

    private static BoltMessage large(int id) {
        return small(id).withContent(new byte[LARGE]);
    }

    /** One call after the other, each of which is answered. */
    private static void assertServed(RawClient client, int calls) throws IOException {
        for (int id = 100; id < 100 + calls; id++) {
            client.send(small(id).bytes());
            assertThat(BoltMessage.read(client).id()).isEqualTo(id);
        }
    }

    @Test
    void callsPassOverANodeThatStopsReading() throws IOException {
        try (BoltFixture gateway = BoltFixture.to(stopped, one, two)
                        .runtime("send-buffer", "8KiB")
                        .nodes("connections-per-node", 1)
                        .upstream("health", NEVER_EJECTED)
                        .start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            echo(one);
            echo(two);
            // One for each of them.
            for (int id = 0; id < 3; id++) {
                client.send(large(id).bytes());
            }
            BoltMessage.read(client);
            BoltMessage.read(client);
            assertThat(gateway.count(Counter.CALLS_IN_FLIGHT)).isOne();
            assertServed(client, 20);
            assertServed(other, 20);
            assertThat(gateway.count(Counter.CALLS_IN_FLIGHT)).isOne();
            assertThat(gateway.faults(Fault.POOL_OVERFLOW)).isZero();
        }
    }

    /** Each node lags; then one doesn't any more, and it isn't the one that the client waits for. */
    @Test
    void whoWaitsForOneNodeGoesOnWithAnother() throws IOException {
        try (BoltFixture gateway = BoltFixture.to(stopped, one)
                        .runtime("send-buffer", "8KiB")
                        .nodes("connections-per-node", 1)
                        .upstream("health", NEVER_EJECTED)
                        .start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            client.send(large(0).bytes()).send(large(1).bytes());
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 2);
            CompletableFuture<Void> sent = Background.run(() -> {
                for (int id = 2; id < 8; id++) {
                    client.send(large(id).bytes());
                }
            });
            other.expectSilence(Duration.ofMillis(300));
            assertThat(sent).as("who sends more is held back").isNotDone();
            assertThat(gateway.count(Counter.CALLS_IN_FLIGHT)).isEqualTo(2);
            echo(one);
            for (int i = 0; i < 7; i++) {
                assertThat(BoltMessage.read(client).content()).hasSize(LARGE);
            }
            sent.join();
            assertServed(other, 10);
        }
    }

    /** Were it left out for that, nobody would find out that it is well. */
    @Test
    void aNodeThatHasFailedOnceIsTriedAllTheSame() throws IOException {
        try (BoltFixture gateway = BoltFixture.to(stopped, one)
                        .runtime("send-buffer", "8KiB")
                        .nodes("connections-per-node", 1)
                        .start();
                RawClient client = gateway.connect()) {
            client.send(large(0).bytes()).send(large(1).bytes());
            // Before, it would be a connection that couldn't be opened.
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 2);
            one.accept().reset();
            assertThat(BoltMessage.read(client).word()).isEqualTo(Status.CONNECTION_CLOSED.code());
            echo(one);
            assertServed(client, 10);
        }
    }

    /** One whose connection is still being opened, and that as much waits for as may, takes no more. */
    @Test
    void aNodeThatLagsTakesWhatNoOtherHasRoomFor() throws IOException {
        try (PortHold hanging = ScriptedUpstream.fullBacklogPort();
                BoltFixture gateway = BoltFixture.to(stopped)
                        .node(hanging.port())
                        .runtime("send-buffer", "8KiB")
                        .server("max-frame-size", "2MiB")
                        .server("max-unsent", "4MiB")
                        .top("proxy-client", Map.of("connect-timeout", "60s"))
                        .nodes("connections-per-node", 1)
                        .upstream("health", NEVER_EJECTED)
                        .start()) {
            // Three for the one that hangs, and for the one that lags three, and what is in its kernel.
            for (int id = 1; id <= 6; id++) {
                kept.add(gateway.connect().send(large(id).bytes()));
                gateway.awaitCount(Counter.CALLS_IN_FLIGHT, id);
            }
            assertThat(gateway.faults(Fault.POOL_OVERFLOW)).isZero();
        }
    }

    /** Where a hash gives a client its node, it stays with one that lags until that is out. */
    @Test
    void whoWaitsForANodeGoesOnWhenThatIsOut() throws IOException {
        CompletableFuture<RawServer> first = new CompletableFuture<>();
        try (BoltFixture gateway = BoltFixture.to(stopped, one)
                        .runtime("send-buffer", "8KiB")
                        .nodes("connections-per-node", 1)
                        .upstream("rule-strategy", "source-hash")
                        .upstream("health", NEVER_EJECTED)
                        .start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            for (RawServer each : List.of(stopped, one)) {
                Thread.ofVirtual().start(() -> serveUnlessFirst(each, first));
            }
            client.send(large(1).bytes());
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 1);
            // The first of them goes where the large one did.
            other.send(small(2).bytes()).send(small(3).bytes()).send(small(4).bytes());
            other.expectSilence(Duration.ofMillis(300));
            assertThat(gateway.count(Counter.CALLS_IN_FLIGHT)).isEqualTo(2);

            Upstream upstream = gateway.gateway().upstreams().getFirst();
            String lags = "127.0.0.1:" + first.join().port();
            assertThat(upstream.steer(lags, said -> said.withUse(Steering.Use.EJECTED), System.nanoTime()))
                    .isTrue();
            assertThat(BoltMessage.read(other).id()).isEqualTo(3);
            assertThat(BoltMessage.read(other).id()).isEqualTo(4);
        }
    }

    /** The first connection isn't read: it stays open with its server. */
    private void serveUnlessFirst(RawServer server, CompletableFuture<RawServer> first) {
        try {
            RawClient connection = server.accept();
            kept.add(connection);
            if (!first.complete(server)) {
                Echo.serve(connection);
            }
        } catch (IOException | AssertionError e) {
            // The test is over.
        }
    }
}
