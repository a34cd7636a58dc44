package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients see of calls that don't go well: a response with a status, in the form of their request, and never nothing. */
class CallFaultTest {
    private static final Duration SOON = Duration.ofMillis(100);

    private static BoltMessage request(int layout, int id) {
        return BoltMessage.request(layout, id, "com.acme.Request", "ask").withCodec(11);
    }

    /** Reads a response of Sigma's own. */
    private static void expect(RawClient client, BoltMessage request, Status status) throws IOException {
        BoltMessage answer = BoltMessage.read(client);
        byte[] none = new byte[0];
        BoltMessage expected = new BoltMessage(
                request.layout(),
                0,
                2,
                request.id(),
                request.codec(),
                request.switches(),
                status.code(),
                none,
                none,
                none);
        assertThat(answer.bytes()).as(answer.toString()).isEqualTo(expected.bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void withoutARouteThereIsNoProcessor(int layout) throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to()
                        .route(Map.of("class-name", "com.other.*"), server)
                        .start();
                RawClient client = gateway.connect()) {
            BoltMessage request = request(layout, 3);
            client.send(request.bytes());
            expect(client, request, Status.NO_PROCESSOR);
            gateway.awaitFaults(Fault.NO_ROUTE, 1);
            gateway.awaitCount(Counter.CALLS_UNANSWERED, 1);
            // A one-way request is dropped, and the connection goes on.
            client.send(request.withType(2).bytes());
            client.send(request.withId(4).bytes());
            expect(client, request.withId(4), Status.NO_PROCESSOR);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void theShorterOfBothTimesHolds(int layout) throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway =
                        BoltFixture.to(server).pass("timeout", "300ms").start();
                RawClient client = gateway.connect()) {
            BoltMessage own = request(layout, 1).withWord(100);
            BoltMessage longer = request(layout, 2).withWord(60_000);
            BoltMessage none = request(layout, 3).withWord(0);
            client.send(none.bytes());
            client.send(longer.bytes());
            client.send(own.bytes());
            RawClient node = server.accept();
            BoltMessage late = BoltMessage.read(node);
            expect(client, own, Status.TIMEOUT);
            BoltMessage next = BoltMessage.read(client);
            assertThat(next.word()).isEqualTo(Status.TIMEOUT.code());
            assertThat(next.id() + BoltMessage.read(client).id()).isEqualTo(5);
            gateway.awaitFaults(Fault.UPSTREAM_TIMEOUT, 3);
            // What comes now comes late, and what is asked now is answered.
            node.send(late.answer("late").bytes());
            gateway.awaitCount(Counter.BOLT_RESPONSES_LATE, 1);
            client.send(request(layout, 9).bytes());
            for (int i = 0; i < 2; i++) {
                BoltMessage.read(node);
            }
            node.send(BoltMessage.read(node).answer("in time").bytes());
            assertThat(BoltMessage.read(client).text()).isEqualTo("in time");
            node.close();
        }
    }

    @Test
    void theServersTimeHoldsWhereThePassSaysNone() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .server("request-timeout", "150ms")
                        .start();
                RawClient client = gateway.connect()) {
            client.send(request(1, 1).withWord(-1).bytes());
            expect(client, request(1, 1), Status.TIMEOUT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aNodeThatIsLostLosesItsCallsOnly(int layout) throws IOException {
        try (RawServer first = RawServer.start();
                RawServer second = RawServer.start();
                BoltFixture gateway = BoltFixture.to(first, second).start();
                RawClient client = gateway.connect()) {
            for (int id = 0; id < 4; id++) {
                client.send(request(layout, id).bytes());
            }
            RawClient lost = first.accept();
            RawClient other = second.accept();
            BoltMessage.read(lost);
            BoltMessage.read(lost);
            BoltMessage kept = BoltMessage.read(other);
            BoltMessage keptToo = BoltMessage.read(other);
            lost.reset();
            assertThat(BoltMessage.read(client).word()).isEqualTo(Status.CONNECTION_CLOSED.code());
            assertThat(BoltMessage.read(client).word()).isEqualTo(Status.CONNECTION_CLOSED.code());
            other.send(keptToo.answer("b").bytes());
            other.send(kept.answer("a").bytes());
            assertThat(BoltMessage.read(client).text()).isEqualTo("b");
            assertThat(BoltMessage.read(client).text()).isEqualTo("a");
            gateway.awaitFaults(Fault.UPSTREAM_CLOSED, 2);
            // Not sent again: the other node has got nothing of what the first one had.
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isZero();
            other.close();
        }
    }

    @Test
    void aNodeThatCannotBeReachedIsPassedOver() throws IOException {
        int nobody = FreePorts.one();
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).node(nobody).start();
                RawClient client = gateway.connect()) {
            // At once, so that each has its node before any of them is found not to be there.
            ByteArrayOutputStream requests = new ByteArrayOutputStream();
            for (int id = 0; id < 8; id++) {
                requests.writeBytes(request(3, id).bytes());
            }
            client.send(requests.toByteArray());
            Echo.serve(server.accept());
            for (int id = 0; id < 8; id++) {
                assertThat(BoltMessage.read(client).text()).isEqualTo("ask");
            }
            gateway.awaitCount(Counter.UPSTREAM_RETRIES, 4);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void whereNoNodeCanBeReachedNothingWasSent(int layout) throws IOException {
        int nobody = FreePorts.one();
        try (BoltFixture gateway = BoltFixture.to().node(nobody).start();
                RawClient client = gateway.connect()) {
            client.send(request(layout, 1).bytes());
            expect(client, request(layout, 1), Status.CLIENT_SEND_ERROR);
            gateway.awaitFaults(Fault.CONNECT_FAILED, 1);
        }
    }

    @Test
    void aClientMayHaveSoManyCallsAtOnce() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .server("max-requests-in-flight", 2)
                        .start();
                RawClient client = gateway.connect()) {
            for (int id = 1; id <= 3; id++) {
                client.send(request(2, id).bytes());
            }
            expect(client, request(2, 3), Status.SERVER_THREADPOOL_BUSY);
            gateway.awaitFaults(Fault.OVERLOADED, 1);
            Echo.serve(server.accept());
            BoltMessage.read(client);
            BoltMessage.read(client);
            client.send(request(2, 4).bytes());
            assertThat(BoltMessage.read(client).text()).isEqualTo("ask");
        }
    }

    @Test
    void aNodeMayHaveSoManyCallsAtOnce() throws IOException {
        try (RawServer first = RawServer.start();
                RawServer second = RawServer.start();
                BoltFixture gateway = BoltFixture.to(first, second)
                        .nodes("max-requests-in-flight", 1)
                        .start();
                RawClient client = gateway.connect()) {
            for (int id = 1; id <= 3; id++) {
                client.send(request(2, id).bytes());
            }
            expect(client, request(2, 3), Status.SERVER_THREADPOOL_BUSY);
            gateway.awaitFaults(Fault.POOL_OVERFLOW, 1);
            Echo.serve(first.accept());
            Echo.serve(second.accept());
            BoltMessage.read(client);
            BoltMessage.read(client);
        }
    }

    @Test
    void aClientThatIsGoneWaitsForNothing() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient other = gateway.connect()) {
            RawClient client = gateway.connect();
            client.send(request(2, 1).bytes());
            client.send(request(2, 2).bytes());
            RawClient node = server.accept();
            BoltMessage one = BoltMessage.read(node);
            BoltMessage two = BoltMessage.read(node);
            client.close();
            gateway.awaitFaults(Fault.CLIENT_GONE, 2);
            gateway.awaitCount(Counter.CALLS_IN_FLIGHT, 0);
            node.send(one.answer("late").bytes());
            node.send(two.answer("late").bytes());
            gateway.awaitCount(Counter.BOLT_RESPONSES_LATE, 2);
            other.send(request(2, 1).bytes());
            node.send(BoltMessage.read(node).answer("there").bytes());
            assertThat(BoltMessage.read(other).text()).isEqualTo("there");
            node.close();
        }
    }

    @Test
    void whatIsNoFrameEndsTheClientsConnection() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway =
                        BoltFixture.to(server).server("max-frame-size", "1KiB").start()) {
            byte[] wrongChecksum = request(3, 1).bytes();
            wrongChecksum[wrongChecksum.length - 1] ^= 1;
            Map<String, byte[]> wrong = Map.of(
                    "bolt_protocol", "GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                    "bolt_checksum", wrongChecksum,
                    "bolt_unasked", request(1, 1).answer("").bytes(),
                    "bolt_too_large", request(1, 1).withContent(new byte[1024]).bytes(),
                    "bolt_type", new byte[] {1, 9});
            for (Map.Entry<String, byte[]> each : wrong.entrySet()) {
                try (RawClient client = gateway.connect()) {
                    client.send(BoltMessage.heartbeat(each.getKey().contains("checksum") ? 3 : 1, 5)
                            .bytes());
                    BoltMessage.read(client);
                    client.send(each.getValue());
                    client.expectClosed();
                }
                gateway.awaitRefusals(each.getKey(), 1);
            }
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
        }
    }

    @Test
    void oneConnectionHasOneLayout() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            client.send(BoltMessage.heartbeat(1, 1).bytes());
            BoltMessage.read(client);
            client.send(BoltMessage.heartbeat(2, 1).bytes());
            client.expectClosed();
            gateway.awaitRefusals("bolt_mixed", 1);
        }
    }

    @Test
    void whatIsNoFrameOfANodeFailsItsCalls() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            client.send(request(3, 1).bytes());
            RawClient node = server.accept();
            byte[] answer = BoltMessage.read(node).answer("x").bytes();
            answer[answer.length - 1] ^= 1;
            node.send(answer);
            expect(client, request(3, 1), Status.ERROR_COMM);
            node.expectClosed();
            gateway.awaitRefusals("bolt_checksum", 1);
            gateway.awaitFaults(Fault.UPSTREAM_PROTOCOL, 1);
            // The next call gets a connection of its own.
            client.send(request(3, 2).bytes());
            Echo.serve(server.accept());
            assertThat(BoltMessage.read(client).text()).isEqualTo("ask");
        }
    }

    @Test
    void aNodeThatAsksIsTold() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            client.send(request(2, 1).bytes());
            RawClient node = server.accept();
            BoltMessage call = BoltMessage.read(node);
            node.send(request(2, 70).bytes());
            expect(node, request(2, 70), Status.NO_PROCESSOR);
            node.send(request(2, 71).withType(2).bytes());
            node.send(BoltMessage.heartbeat(2, 72).bytes());
            assertThat(BoltMessage.read(node).id()).isEqualTo(72);
            gateway.awaitCount(Counter.BOLT_REQUESTS_OF_NODES, 2);
            node.send(call.answer("x").bytes());
            assertThat(BoltMessage.read(client).text()).isEqualTo("x");
            node.close();
        }
    }

    @Test
    void statusesOfNodesPass() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            client.send(request(2, 1).bytes());
            RawClient node = server.accept();
            node.send(BoltMessage.read(node).answer("e").withWord(2).bytes());
            BoltMessage answer = BoltMessage.read(client);
            assertThat(answer.word()).isEqualTo(2);
            assertThat(answer.text()).isEqualTo("e");
            gateway.awaitCount(Counter.CALLS_FAILED, 1);
            node.close();
        }
    }

    @Test
    void aSilentNodeIsAskedAndGivenUp() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .nodes("heartbeat-interval", "100ms")
                        .nodes("heartbeat-misses", 2)
                        .start();
                RawClient client = gateway.connect()) {
            client.send(request(2, 1).bytes());
            RawClient node = server.accept();
            BoltMessage call = BoltMessage.read(node);
            for (int i = 0; i < 4; i++) {
                BoltMessage heartbeat = BoltMessage.read(node);
                assertThat(heartbeat.command()).isZero();
                assertThat(heartbeat.type()).isEqualTo(1);
                assertThat(heartbeat.id()).isNotEqualTo(call.id());
                node.send(heartbeat.answer("").withContent(new byte[0]).bytes());
            }
            assertThat(gateway.count(Counter.BOLT_RESPONSES_LATE)).isZero();
            assertThat(gateway.count(Counter.BOLT_HEARTBEATS_MISSED)).isZero();
            expect(client, request(2, 1), Status.CONNECTION_CLOSED);
            gateway.awaitCount(Counter.BOLT_HEARTBEATS_MISSED, 2);
            BoltMessage.read(node);
            BoltMessage.read(node);
            node.expectClosed();
        }
    }

    @Test
    void anIdleClientIsClosedAndHeartbeatsAreLife() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway =
                        BoltFixture.to(server).server("idle-timeout", "1500ms").start();
                RawClient client = gateway.connect();
                RawClient waiting = gateway.connect()) {
            waiting.send(request(1, 1).withWord(60_000).bytes());
            RawClient node = server.accept();
            BoltMessage call = BoltMessage.read(node);
            for (int i = 0; i < 20; i++) {
                client.send(BoltMessage.heartbeat(1, i).bytes());
                BoltMessage.read(client);
                client.expectSilence(SOON);
            }
            client.expectCleanClose();
            gateway.awaitCount(Counter.DOWNSTREAM_IDLE_TIMEOUTS, 1);
            // Who waits for a call isn't idle.
            node.send(call.answer("late, but there").bytes());
            assertThat(BoltMessage.read(waiting).text()).isEqualTo("late, but there");
            node.close();
        }
    }

    @Test
    void connectionsAreCounted() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway =
                        BoltFixture.to(server).server("max-connections", 1).start();
                RawClient client = gateway.connect()) {
            client.send(BoltMessage.heartbeat(1, 1).bytes());
            BoltMessage.read(client);
            gateway.expectRefused(ClientOptions.defaults());
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_REFUSED, 1);
        }
    }

    @Test
    void pluginsSeeConnections() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .server("plugin", Map.of("ip-restriction", Map.of("deny", List.of("127.0.0.1"))))
                        .start()) {
            gateway.expectRefused(ClientOptions.defaults());
            gateway.awaitFaults(Fault.SESSION_REFUSED, 1);
        }
    }
}
