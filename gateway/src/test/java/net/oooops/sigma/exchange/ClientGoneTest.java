package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ConnectionEnd;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client that goes away takes its exchange with it, wherever that is. One that ends its output behind a complete request may
 * still be listening: see {@code HalfCloseTest}.
 */
@SuppressWarnings("try") // closed where the test says, not at the end of a block
class ClientGoneTest {
    private static final Duration SOON = Duration.ofSeconds(1);

    @Test
    void theNodeIsLeftWhereItHasNotAnsweredYet() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            upstream.awaitRequests(1);
            client.reset();

            Await.until("connection to the node closed", SOON, () -> upstream.openConnectionCount() == 0);
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            Ask.count(gateway, Counter.REQUESTS_4XX, 1);
            Ask.quiet(gateway);
        }
    }

    @Test
    void theNodeIsLeftInTheMiddleOfItsAnswer() throws IOException {
        GeneratedBody endless = GeneratedBody.of(1, 1L << 40);
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nContent-Length: " + endless.bytes() + "\r\n\r\nhello")
                        .awaitPeerClose());
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            assertThat(client.readBody(5)).asString().isEqualTo("hello");
            client.reset();

            assertThat(upstream.awaitClosed(0)).isIn(ConnectionEnd.CLOSED_BY_PEER, ConnectionEnd.RESET_BY_PEER);
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            Ask.quiet(gateway);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNodeIsLeftInTheMiddleOfTheRequest(boolean reset) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/", 100)).send("beginning");
            upstream.awaitHeads(1);
            if (reset) {
                client.reset();
            } else {
                client.close();
            }

            assertThat(upstream.awaitClosed(0)).isIn(ConnectionEnd.CLOSED_BY_PEER, ConnectionEnd.RESET_BY_PEER);
            assertThat(upstream.request(0).complete()).isFalse();
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            Ask.quiet(gateway);
        }
    }

    @Test
    void aNodeThatDoesNotReadIsLeftToo() throws IOException {
        // Nothing is read from the client meanwhile, so that it is gone is not seen either: the node's time bounds
        // that.
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        UpstreamOptions.defaults().withReceiveBufferBytes(4096),
                        Script.script()
                                .readHead()
                                .step(connection ->
                                        Await.until("reset", Duration.ofSeconds(8), connection::isClosed)));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .proxyPass("responseTimeoutNanos", Duration.ofSeconds(1))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/", 1L << 30));
            AtomicLong sent = new AtomicLong();
            Thread sender = Thread.ofVirtual().start(() -> {
                try {
                    OutputStream out = client.socket().getOutputStream();
                    while (true) {
                        out.write(new byte[4096]);
                        sent.addAndGet(4096);
                    }
                } catch (IOException _) {
                    // The reset below.
                }
            });
            Ask.standstill("what the client sends", sent::get);
            client.reset();
            join(sender);

            Ask.quiet(gateway);
            assertThat(gateway.faults(Fault.CLIENT_GONE) + gateway.faults(Fault.UPSTREAM_TIMEOUT))
                    .isEqualTo(1);
        }
    }

    @Test
    void aPlaceInThePoolsQueueIsGivenBack() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", 1)
                        .client("waitTimeoutNanos", Duration.ofMinutes(1))
                        .start();
                RawClient first = gateway.connect();
                RawClient second = gateway.connect()) {
            first.send(Ask.get("/"));
            upstream.awaitRequests(1);
            second.send(Ask.get("/"));
            Await.value("waiting", () -> Ask.pool(gateway).waiting(), n -> n == 1);
            second.reset();

            Await.value("waiting", () -> Ask.pool(gateway).waiting(), n -> n == 0);
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            assertThat(upstream.openConnectionCount())
                    .as("the other one goes on")
                    .isEqualTo(1);
        }
    }

    @Test
    void aConnectionThatIsOpenedForSomeoneGoneServesTheNext() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream).start()) {
            for (int i = 0; i < 20; i++) {
                RawClient client = gateway.connect();
                client.send(Ask.get("/"));
                client.reset();
            }
            Ask.quiet(gateway);
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("hello");
            }
            Ask.quiet(gateway);
        }
    }

    @Test
    void whereNoConnectionComesAboutTheClientIsNotWaitedFor() throws IOException {
        try (PortHold hanging = ScriptedUpstream.fullBacklogPort();
                GatewayFixture gateway = GatewayFixture.toPorts(hanging.port())
                        .client("connectTimeoutNanos", Duration.ofMillis(500))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 1);
            client.reset();

            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            Ask.quiet(gateway);
            assertThat(gateway.faults(Fault.CONNECT_TIMEOUT)).isZero();
        }
    }

    @RepeatedTest(10)
    void aResetRightBehindTheRequestIsSeen() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).reset();

            Ask.count(gateway, Counter.DOWNSTREAM_CONNECTIONS_ACCEPTED, 1);
            Ask.quiet(gateway);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
