package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.upstream.NodeCounts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients and nodes see of calls that go well. */
class CallTest {

    private static void expectSame(BoltMessage got, BoltMessage expected) {
        assertThat(got.bytes()).isEqualTo(expected.bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aRequestGoesToTheNodeAndItsResponseComesBack(int layout) throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            BoltMessage request = BoltMessage.request(layout, 0x7000_0001, "com.acme.Request", "ask")
                    .withKeys("key", "value")
                    .withCodec(12);
            client.send(request.bytes());
            RawClient node = server.accept();
            BoltMessage there = BoltMessage.read(node);
            expectSame(there.withId(request.id()), request);
            node.send(there.answer("answered").bytes());
            expectSame(BoltMessage.read(client), request.answer("answered"));
            gateway.awaitCount(Counter.CALLS_SUCCEEDED, 1);
            gateway.awaitCount(Counter.CALLS_IN_FLIGHT, 0);
            NodeCounts counts = gateway.gateway().nodes().getFirst().counts();
            assertThat(counts.requests()).isEqualTo(1);
            assertThat(LongStream.of(counts.buckets()).sum()).isEqualTo(1);
            assertThat(counts.latencyNanos()).isPositive();
            node.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everyCutOfARequestAndItsResponseIsTheSame(int layout) throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            BoltMessage request = BoltMessage.request(layout, 5, "com.acme.Request", "ask");
            client.sendByteByByte(request.bytes());
            RawClient node = server.accept();
            BoltMessage there = BoltMessage.read(node);
            node.sendByteByByte(there.answer("answered").bytes());
            expectSame(BoltMessage.read(client), request.answer("answered"));
            node.close();
        }
    }

    @Test
    void responsesInAnyOrderFindTheirRequests() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient one = gateway.connect();
                RawClient two = gateway.connect()) {
            int calls = 200;
            for (int i = 0; i < calls; i++) {
                // Both clients use the same ids, and one of them each id twice.
                one.send(BoltMessage.request(1, i / 2, "a.B", "one " + i).bytes());
                two.send(BoltMessage.request(1, i, "a.B", "two " + i).bytes());
            }
            RawClient node = server.accept();
            List<BoltMessage> requests = new ArrayList<>();
            for (int i = 0; i < 2 * calls; i++) {
                requests.add(BoltMessage.read(node));
            }
            assertThat(requests.stream().map(BoltMessage::id).distinct()).hasSize(2 * calls);
            Collections.shuffle(requests, new java.util.Random(7));
            for (BoltMessage each : requests) {
                node.send(each.answer(each.text()).bytes());
            }
            Map<String, Integer> seen = new HashMap<>();
            for (int i = 0; i < calls; i++) {
                BoltMessage first = BoltMessage.read(one);
                seen.put(first.text(), first.id());
                BoltMessage second = BoltMessage.read(two);
                seen.put(second.text(), second.id());
            }
            for (int i = 0; i < calls; i++) {
                assertThat(seen).containsEntry("one " + i, i / 2).containsEntry("two " + i, i);
            }
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 1);
            node.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aHeartbeatIsAnsweredHere(int layout) throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            BoltMessage heartbeat = BoltMessage.heartbeat(layout, 99);
            client.send(heartbeat.bytes());
            BoltMessage answer = BoltMessage.read(client);
            assertThat(answer.command()).isZero();
            assertThat(answer.type()).isZero();
            assertThat(answer.id()).isEqualTo(99);
            assertThat(answer.word()).isZero();
            gateway.awaitCount(Counter.BOLT_HEARTBEATS_ANSWERED, 1);
            assertThat(server.acceptsWithin(Duration.ofMillis(50))).isFalse();
        }
    }

    @Test
    void aOneWayRequestGetsNoResponse() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            BoltMessage request =
                    BoltMessage.request(2, 5, "com.acme.Request", "told").withType(2);
            client.send(request.bytes());
            client.send(request.withId(6).bytes());
            RawClient node = server.accept();
            BoltMessage there = BoltMessage.read(node);
            expectSame(there.withId(5), request);
            expectSame(BoltMessage.read(node).withId(5), request);
            gateway.awaitCount(Counter.CALLS_ONE_WAY, 2);
            gateway.awaitCount(Counter.CALLS_IN_FLIGHT, 0);
            // A node that answers all the same isn't heard.
            node.send(there.withType(1).answer("no").bytes());
            gateway.awaitCount(Counter.BOLT_RESPONSES_LATE, 1);
            client.send(BoltMessage.heartbeat(2, 7).bytes());
            assertThat(BoltMessage.read(client).id()).isEqualTo(7);
            node.close();
        }
    }

    @Test
    void layoutsHaveConnectionsOfTheirOwn() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start()) {
            for (int layout = 1; layout <= 3; layout++) {
                for (int twice = 0; twice < 2; twice++) {
                    echo(gateway, server, layout, twice == 0);
                }
            }
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 3);
        }
    }

    private static void echo(BoltFixture gateway, RawServer server, int layout, boolean first) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(BoltMessage.request(layout, 1, "a.B", "x").bytes());
            if (first) {
                Echo.serve(server.accept());
            }
            BoltMessage answer = BoltMessage.read(client);
            assertThat(answer.layout()).isEqualTo(layout);
            assertThat(answer.text()).isEqualTo("x");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void framesOfManySizesPassBothWays(int layout) throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            int[] sizes = {0, 1, 100, 4000, 4096, 5000, 65_000, 66_000, 300_000, 3, 2_000_000, 17, 8_000_000};
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < sizes.length; i++) {
                byte[] content = new byte[sizes[i]];
                new java.util.Random(i).nextBytes(content);
                all.write(BoltMessage.request(layout, i, "a.B", "")
                        .withContent(content)
                        .bytes());
            }
            Thread sender = Thread.ofVirtual().start(() -> sendAll(client, all.toByteArray()));
            Echo.serve(server.accept());
            for (int i = 0; i < sizes.length; i++) {
                BoltMessage answer = BoltMessage.read(client);
                byte[] content = new byte[sizes[answer.id()]];
                new java.util.Random(answer.id()).nextBytes(content);
                assertThat(answer.content()).isEqualTo(content);
            }
            assertThat(sender).isNotNull();
        }
    }

    private static void sendAll(RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
