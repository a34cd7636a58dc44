package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.exchange.DirectMemory;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Many clients of Bolt with a side that is slow hold no more than is said; the others go on. */
@Isolated("direct memory")
class CallMemoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ClientOptions SLOW = ClientOptions.defaults().withReceiveBufferBytes(8 << 10);
    private static final int CLIENTS = 60;
    private static final int BOUND_BYTES = 1 << 20;
    /** So much more may come between two looks at what is held: {@code HeldMemory}. */
    private static final int LOOK_BYTES = BOUND_BYTES / 8;

    private static final int LARGE = 200 << 10;
    /** One frame's buffer is copied to one that is larger, with what a read brought. */
    private static final int COPIED_BYTES_MAX = LARGE + (56 << 10);
    /** Buffers are at most twice as large as what is counted; then there are the one that is being copied, and each client's next read. */
    private static final int KEPT_BYTES_MAX = 2 * (BOUND_BYTES + LOOK_BYTES) + COPIED_BYTES_MAX + CLIENTS * (12 << 10);

    private static final int SMALL = 20 << 10;

    private final RawServer server = RawServer.start(8 << 10);
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void stop() {
        clients.forEach(RawClient::close);
        server.close();
    }

    private BoltFixture.Builder gateway() {
        return BoltFixture.to(server)
                .runtime("call-memory", "1MiB")
                .runtime("send-buffer", "8KiB")
                .runtime("allocator", "unpooled")
                .nodes("connections-per-node", 1)
                .server("max-frame-size", "512KiB")
                .server("max-unsent", "1MiB");
    }

    private RawClient slow(BoltFixture gateway) throws IOException {
        RawClient client = gateway.connect(SLOW).deadline(PATIENCE);
        clients.add(client);
        return client;
    }

    /** Of a frame that isn't whole as much is held as of an answer: whoever sends may be among those that hold the most. */
    private static void sendUnlessCut(RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (IOException e) {
            // It was cut: what it reads says so.
        }
    }

    /** The same in every client's answer but for its end, so that no one's can be taken for another's. */
    private static byte[] content(int number) {
        byte[] content = new byte[LARGE];
        Arrays.fill(content, (byte) number);
        return content;
    }

    private static BoltMessage large(int number) {
        return BoltMessage.request(2, number, "a.B", "").withContent(content(number));
    }

    private static void assertBounded(DirectMemory memory) {
        assertThat(memory.grownBytesMax()).isLessThan(KEPT_BYTES_MAX);
    }

    /** Those that hold less than the ones that are slow. Until what these held is free a node that lags may get no call. */
    private static void theOthersGoOn(BoltFixture gateway) throws IOException {
        try (RawClient other = gateway.connect().deadline(PATIENCE)) {
            Await.until("room for others", () -> isServed(other));
            for (int i = 0; i < 5; i++) {
                other.send(small(i).bytes());
                assertThat(BoltMessage.read(other).content()).isEqualTo(Arrays.copyOf(content(i), SMALL));
            }
        }
    }

    private static boolean isServed(RawClient client) {
        try {
            int word = BoltMessage.read(client.send(small(0).bytes())).word();
            assertThat(word).isIn(0, Status.SERVER_THREADPOOL_BUSY.code());
            return word == 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static BoltMessage small(int number) {
        return BoltMessage.request(2, number, "a.B", "").withContent(Arrays.copyOf(content(number), SMALL));
    }

    @Test
    void clientsThatDoNotReadDoNotTakeAllMemory() throws IOException {
        try (BoltFixture gateway = gateway().start();
                DirectMemory memory = DirectMemory.watched()) {
            for (int i = 0; i < CLIENTS; i++) {
                sendUnlessCut(slow(gateway), large(i).bytes());
                if (i == 0) {
                    Echo.serve(server.accept());
                }
            }
            Await.until("some are cut", () -> gateway.faults(Fault.OVERLOADED) > 0);
            gateway.awaitCount(Counter.CALLS_IN_FLIGHT, 0);
            theOthersGoOn(gateway);
            assertThat(gateway.count(Counter.CALL_MEMORY_SHORT)).isPositive();
            assertBounded(memory);
            int whole = 0;
            for (int i = 0; i < CLIENTS; i++) {
                whole += gotItsOwn(i) ? 1 : 0;
            }
            assertThat(whole).as("only those that hold the most are cut").isBetween(1, CLIENTS - 1);
        }
    }

    /** Whole, or not at all. */
    private boolean gotItsOwn(int number) throws IOException {
        BoltMessage answer;
        try {
            answer = BoltMessage.read(clients.get(number));
        } catch (IOException | AssertionError e) {
            return false;
        }
        if (answer.word() != 0) {
            assertThat(answer.word()).isEqualTo(Status.SERVER_THREADPOOL_BUSY.code());
            return false;
        }
        assertThat(answer.content()).isEqualTo(content(number));
        return true;
    }

    @Test
    void framesThatStayIncompleteDoNotTakeAllMemory() throws IOException {
        try (BoltFixture gateway = gateway().start();
                DirectMemory memory = DirectMemory.watched()) {
            byte[] begun = Arrays.copyOf(large(0).bytes(), LARGE / 2);
            RawClient little = slow(gateway);
            byte[] all = small(0).bytes();
            little.send(Arrays.copyOf(all, 1000));
            for (int i = 1; i < CLIENTS; i++) {
                sendUnlessCut(slow(gateway), begun);
            }
            Await.until("some are cut", () -> gateway.faults(Fault.OVERLOADED) > 0);
            Thread.ofVirtual().start(this::echo);
            theOthersGoOn(gateway);
            assertBounded(memory);
            little.send(Arrays.copyOfRange(all, 1000, all.length));
            assertThat(BoltMessage.read(little).content())
                    .as("who holds little isn't cut")
                    .isEqualTo(Arrays.copyOf(content(0), SMALL));
        }
    }

    private void echo() {
        try {
            Echo.serve(server.accept());
        } catch (IOException e) {
            // Nobody gets an answer, then.
        }
    }

    @Test
    void aNodeThatDoesNotReadDoesNotTakeAllMemory() throws IOException {
        try (BoltFixture gateway = gateway().start();
                DirectMemory memory = DirectMemory.watched()) {
            for (int i = 0; i < 2 * CLIENTS; i++) {
                RawClient client = gateway.connect().deadline(PATIENCE);
                clients.add(client);
                client.send(small(1).bytes());
            }
            RawClient node = server.accept();
            Await.until("calls are refused", () -> gateway.faults(Fault.POOL_OVERFLOW) > CLIENTS / 2);
            assertBounded(memory);
            assertThat(gateway.faults(Fault.OVERLOADED)).isZero();
            Echo.serve(node);
            int served = 0;
            for (int i = 0; i < 2 * CLIENTS; i++) {
                BoltMessage answer = BoltMessage.read(clients.get(i));
                if (answer.word() == 0) {
                    served++;
                    assertThat(answer.content()).isEqualTo(Arrays.copyOf(content(1), SMALL));
                } else {
                    assertThat(answer.word()).isEqualTo(Status.SERVER_THREADPOOL_BUSY.code());
                }
            }
            assertThat(served).isPositive();
        }
    }

    /** A Worker's part is less than one frame. */
    @Test
    void whatOneClientMayHoldIsNeverTooMuch() throws IOException {
        try (BoltFixture gateway = gateway()
                .workers(4)
                .runtime("call-memory", "4MiB")
                .server("max-frame-size", "4MiB")
                .server("max-unsent", "4MiB")
                .start()) {
            RawClient client = slow(gateway);
            byte[] content = new byte[3 << 20];
            Arrays.fill(content, (byte) 'x');
            Thread.ofVirtual().start(this::echo);
            client.send(
                    BoltMessage.request(2, 7, "a.B", "").withContent(content).bytes());
            gateway.awaitCount(Counter.CALLS_SUCCEEDED, 1);
            assertThat(BoltMessage.read(client).content()).isEqualTo(content);
            assertThat(gateway.faults(Fault.OVERLOADED)).isZero();
        }
    }
}
