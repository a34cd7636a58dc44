package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A limit of frames that a reload changes, for the connections that are there already and the calls that wait for one. */
class CallReloadTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration QUIET = Duration.ofMillis(300);
    private static final int LARGE = 3000;

    @TempDir
    Path dir;

    private static BoltMessage call(int id, int contentBytes) {
        byte[] content = new byte[contentBytes];
        Arrays.fill(content, (byte) id);
        return BoltMessage.request(2, id, "a.B", "").withContent(content);
    }

    private BoltFixture encrypted(RawServer... nodes) throws IOException {
        Path authority = Files.writeString(dir.resolve("ca.pem"), Encryption.SHARED.certificatePem());
        BoltFixture.Builder builder = BoltFixture.to()
                .upstream("ssl", Map.of("ca", authority.toString(), "server-name", "localhost"))
                // The test reloads while the connection is opened.
                .top("proxy-client", Map.of("connect-timeout", "30s"));
        for (RawServer node : nodes) {
            builder.secureNode(node.port());
        }
        return builder.start();
    }

    private static void answer(RawClient plain, BoltMessage expected) throws IOException {
        try (RawClient node = RawClient.of(Encryption.SHARED.agree(plain.socket()), PATIENCE)) {
            BoltMessage received = BoltMessage.read(node);
            assertThat(received.content()).isEqualTo(expected.content());
            node.send(received.answer("fine").bytes());
        }
    }

    @Test
    void aCallThatWaitsForAConnectionIsUnderWay() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = encrypted(server);
                RawClient client = gateway.connect()) {
            client.send(call(1, LARGE).bytes());
            RawClient node = server.accept();
            gateway.reload("max-frame-size", "1KiB");
            answer(node, call(1, LARGE));
            assertThat(BoltMessage.read(client).text()).isEqualTo("fine");
        }
    }

    @Test
    void soIsOneThatAnotherNodeIsToTake() throws Exception {
        LinkedBlockingQueue<RawClient> accepted = new LinkedBlockingQueue<>();
        try (RawServer one = RawServer.start();
                RawServer other = RawServer.start();
                BoltFixture gateway = encrypted(one, other);
                RawClient client = gateway.connect()) {
            for (RawServer server : new RawServer[] {one, other}) {
                Thread.ofVirtual().start(() -> accept(server, accepted));
            }
            client.send(call(1, LARGE).bytes());
            RawClient first = taken(accepted);
            gateway.reload("max-frame-size", "1KiB");
            first.close();
            answer(taken(accepted), call(1, LARGE));
            assertThat(BoltMessage.read(client).text()).isEqualTo("fine");
        }
    }

    private static void accept(RawServer server, LinkedBlockingQueue<RawClient> accepted) {
        try {
            accepted.add(server.accept());
        } catch (IOException e) {
            // It was closed.
        }
    }

    private static RawClient taken(LinkedBlockingQueue<RawClient> accepted) throws InterruptedException {
        return Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS), "no connection");
    }

    /** Its client has another one under way, and isn't told to go until nothing is. */
    @Test
    void aCallThatComesToAServerThatIsGoneIsUnderWay() throws Exception {
        int[] ports = FreePorts.several(2);
        try (RawServer server = RawServer.start()) {
            BoltFixture.Builder sigma = BoltFixture.to(server).server("port", ports[0]);
            try (BoltFixture gateway = sigma.start();
                    RawClient client = gateway.connect()) {
                client.send(call(1, 10).bytes());
                RawClient node = server.accept();
                BoltMessage first = BoltMessage.read(node);
                sigma.server("port", ports[1]).upstream("id", "another").pass("upstream-id", "another");
                gateway.reload();

                client.send(call(2, 10).bytes());
                BoltMessage second = BoltMessage.read(node);
                node.send(first.answer("one").bytes());
                assertThat(BoltMessage.read(client).text()).isEqualTo("one");
                node.expectSilence(QUIET);
                client.send(call(3, 10).bytes());
                assertAnswered(node, client, 10);
                node.send(second.answer("two").bytes());
                assertThat(BoltMessage.read(client).text()).isEqualTo("two");

                assertThat(client.readUntilClose()).isEmpty();
                assertThat(node.readUntilClose()).isEmpty();
                node.close();
            }
        }
    }

    @Test
    void theNextFrameOfAClientIsMeasuredByTheNewLimit() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway =
                        BoltFixture.to(server).server("max-frame-size", "1KiB").start();
                RawClient client = gateway.connect()) {
            client.send(call(1, 10).bytes());
            RawClient node = server.accept();
            assertAnswered(node, client, 10);
            gateway.reload("max-frame-size", "16KiB");
            client.send(call(2, LARGE).bytes());
            assertAnswered(node, client, LARGE);

            long before = gateway.count(Counter.DOWNSTREAM_BYTES_RECEIVED);
            byte[] begun = call(3, LARGE).bytes();
            client.send(Arrays.copyOf(begun, LARGE / 2));
            Await.until(
                    "half of it is there",
                    () -> gateway.count(Counter.DOWNSTREAM_BYTES_RECEIVED) == before + LARGE / 2);
            gateway.reload("max-frame-size", "1KiB");
            client.send(Arrays.copyOfRange(begun, LARGE / 2, begun.length));
            assertAnswered(node, client, LARGE);
            client.send(call(4, LARGE).bytes());
            client.expectClosed();
            gateway.awaitRefusals("bolt_too_large", 1);
            node.close();
        }
    }

    private static void assertAnswered(RawClient node, RawClient client, int contentBytes) throws IOException {
        BoltMessage received = BoltMessage.read(node);
        assertThat(received.content()).hasSize(contentBytes);
        node.send(received.answer("fine").bytes());
        assertThat(BoltMessage.read(client).text()).isEqualTo("fine");
    }

    @Test
    void soIsTheNextOneOfANode() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway =
                        BoltFixture.to(server).server("max-frame-size", "1KiB").start();
                RawClient client = gateway.connect()) {
            client.send(call(1, 10).bytes());
            RawClient node = server.accept();
            assertAnswered(node, client, 10);
            gateway.reload("max-frame-size", "16KiB");
            client.send(call(2, 10).bytes());
            node.send(BoltMessage.read(node).answer("x".repeat(LARGE)).bytes());
            assertThat(BoltMessage.read(client).text()).hasSize(LARGE);
            gateway.reload("max-frame-size", "1KiB");
            client.send(call(3, 10).bytes());
            node.send(BoltMessage.read(node).answer("x".repeat(LARGE)).bytes());
            assertThat(BoltMessage.read(client).word()).isEqualTo(Status.ERROR_COMM.code());
            gateway.awaitRefusals("bolt_too_large", 1);
            node.close();
        }
    }

    @Test
    void aCallThatIsUnderWayIsAnsweredByTheOldLimit() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway =
                        BoltFixture.to(server).server("max-frame-size", "16KiB").start();
                RawClient client = gateway.connect()) {
            client.send(call(1, 10).bytes());
            RawClient node = server.accept();
            BoltMessage received = BoltMessage.read(node);
            gateway.reload("max-frame-size", "1KiB");
            node.send(received.answer("x".repeat(LARGE)).bytes());
            assertThat(BoltMessage.read(client).text()).hasSize(LARGE);
            node.close();
        }
    }

    @Test
    void soIsOneOfAServerThatIsGone() throws Exception {
        try (RawServer server = RawServer.start()) {
            BoltFixture.Builder builder = BoltFixture.to(server);
            try (BoltFixture gateway = builder.start();
                    RawClient client = gateway.connect()) {
                client.send(call(1, 10).bytes());
                RawClient node = server.accept();
                BoltMessage received = BoltMessage.read(node);
                // Of those that route there is none by then.
                builder.relay();
                gateway.reload();
                node.send(received.answer("x".repeat(LARGE)).bytes());
                assertThat(BoltMessage.read(client).text()).hasSize(LARGE);
                node.close();
            }
        }
    }

    @Test
    void soIsOneThatComesLaterFromAClientThatIsBusy() throws Exception {
        LinkedBlockingQueue<RawClient> accepted = new LinkedBlockingQueue<>();
        try (RawServer one = RawServer.start();
                RawServer other = RawServer.start()) {
            BoltFixture.Builder builder = BoltFixture.to(one, other);
            try (BoltFixture gateway = builder.start();
                    RawClient client = gateway.connect()) {
                for (RawServer server : new RawServer[] {one, other}) {
                    Thread.ofVirtual().start(() -> accept(server, accepted));
                }
                client.send(call(1, 10).bytes());
                RawClient first = taken(accepted);
                BoltMessage waits = BoltMessage.read(first);
                builder.relay();
                gateway.reload();
                // To the node that nothing was sent to yet: its connection is opened when no Listener is left.
                client.send(call(2, 10).bytes());
                RawClient second = taken(accepted);
                second.send(BoltMessage.read(second).answer("x".repeat(LARGE)).bytes());
                assertThat(BoltMessage.read(client).text()).hasSize(LARGE);
                first.send(waits.answer("fine").bytes());
                assertThat(BoltMessage.read(client).text()).isEqualTo("fine");
                first.close();
                second.close();
            }
        }
    }
}
