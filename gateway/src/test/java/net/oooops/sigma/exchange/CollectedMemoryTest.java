package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Bodies that are collected whole hold no more than is said, all together; the others go on. */
@Isolated("direct memory")
class CollectedMemoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ClientOptions SLOW = ClientOptions.defaults().withReceiveBufferBytes(8192);
    private static final int EXCHANGES = 60;
    private static final int EACH_BYTES = 200_000;
    private static final int LITTLE_BYTES = 1000;
    /** Less than the slow ones hold. */
    private static final int SMALL_BYTES = 20_000;

    private static final int BOUND_BYTES = 1 << 20;
    /**
     * Bodies, what is on its way out, what came until it was seen that this is too much, and what each connection is about to read.
     */
    private static final int KEPT_BYTES_MAX = 2 * BOUND_BYTES + BOUND_BYTES / 2 + EXCHANGES * (12 << 10);

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private final RawServer node = RawServer.start();
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void stop() {
        clients.forEach(RawClient::close);
        node.close();
    }

    private GatewayFixture gateway() throws Exception {
        return GatewayFixture.toPorts(node.port())
                .contentBytesMax(256 << 10)
                .memory("bodyBytesMax", BOUND_BYTES)
                .memory("relayBytesMax", BOUND_BYTES)
                .runtime("sendBufferBytes", 8192)
                .runtime("allocator", RuntimeConfig.Allocator.UNPOOLED)
                .client("maxPoolSizePerServer", EXCHANGES)
                .start();
    }

    private static String head(int bytes) {
        return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + bytes + "\r\n\r\n";
    }

    private static void assertBounded(GatewayFixture gateway, DirectMemory memory) {
        assertThat(gateway.count(Counter.BODY_MEMORY_SHORT)).isPositive();
        assertThat(memory.grownBytesMax()).isLessThan(KEPT_BYTES_MAX);
    }

    private void theOthersGoOn(GatewayFixture gateway) throws IOException {
        GeneratedBody body = GeneratedBody.of(EXCHANGES, SMALL_BYTES);
        try (RawClient client = gateway.connect().deadline(PATIENCE)) {
            client.send(head(SMALL_BYTES));
            client.send(body.toBytes());
            try (RawClient server = node.accept().deadline(PATIENCE)) {
                requestHead(server);
                assertThat(Arrays.equals(server.readExactly(SMALL_BYTES), body.toBytes()))
                        .isTrue();
                // So that the next request doesn't go where nobody listens any more.
                server.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + SMALL_BYTES + "\r\n\r\n");
                server.send(body.toBytes());
                assertThat(client.readResponse().bodySha256()).isEqualTo(body.sha256());
            }
        }
    }

    private static void requestHead(RawClient server) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
            head.append((char) server.readExactly(1)[0]);
        }
    }

    @Test
    void requestsThatStayIncompleteDoNotTakeAllMemory() throws Exception {
        try (GatewayFixture gateway = gateway();
                DirectMemory memory = DirectMemory.watched()) {
            RawClient little = begun(gateway, SMALL_BYTES, LITTLE_BYTES);
            for (int i = 1; i < EXCHANGES; i++) {
                begun(gateway, EACH_BYTES, EACH_BYTES / 2);
            }
            Await.until("some fail", () -> gateway.faults(Fault.OVERLOADED) > 0);
            theOthersGoOn(gateway);
            assertBounded(gateway, memory);
            little.send(new byte[SMALL_BYTES - LITTLE_BYTES]);
            try (RawClient server = node.accept().deadline(PATIENCE)) {
                requestHead(server);
                server.readExactly(SMALL_BYTES);
                server.send(OK);
                assertThat(little.readResponse().status())
                        .as("who holds little doesn't fail")
                        .isEqualTo(200);
            }
            assertThat(clients.stream().anyMatch(CollectedMemoryTest::isTold))
                    .as("told that it is too much")
                    .isTrue();
        }
    }

    /** A request with a body that long, of which so much comes. */
    private RawClient begun(GatewayFixture gateway, int length, int bytes) throws IOException {
        RawClient client = gateway.connect().deadline(PATIENCE);
        clients.add(client);
        client.send(head(length));
        client.send(new byte[bytes]);
        return client;
    }

    private static boolean isTold(RawClient client) {
        try {
            return client.deadline(Duration.ofMillis(200)).readResponse().status() == 503;
        } catch (IOException | AssertionError e) {
            return false;
        }
    }

    @Test
    void responsesThatNobodyTakesDoNotTakeAllMemory() throws Exception {
        try (GatewayFixture gateway = gateway();
                DirectMemory memory = DirectMemory.watched()) {
            for (int i = 0; i < EXCHANGES; i++) {
                RawClient client = gateway.connect(SLOW).deadline(PATIENCE);
                clients.add(client);
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                try (RawClient server = node.accept().deadline(PATIENCE)) {
                    requestHead(server);
                    server.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + EACH_BYTES + "\r\n\r\n");
                    server.send(GeneratedBody.of(i, EACH_BYTES).toBytes());
                } catch (IOException e) {
                    // One of those that fail.
                    assertThat(gateway.faults(Fault.OVERLOADED)).isPositive();
                }
            }
            Await.until("some fail", () -> gateway.faults(Fault.OVERLOADED) > 0);
            theOthersGoOn(gateway);
            assertBounded(gateway, memory);
            int whole = 0;
            for (int i = 0; i < EXCHANGES; i++) {
                whole += gotItsOwn(i) ? 1 : 0;
            }
            assertThat(whole).as("only those that hold the most fail").isBetween(1, EXCHANGES - 1);
        }
    }

    /** Whole, or seen as cut, or never begun. */
    private boolean gotItsOwn(int number) {
        RawResponse response;
        try {
            response = clients.get(number).readResponse();
        } catch (IOException | AssertionError e) {
            return false;
        }
        boolean whole = response.status() == 200 && !response.truncated();
        if (whole) {
            assertThat(response.bodySha256())
                    .isEqualTo(GeneratedBody.of(number, EACH_BYTES).sha256());
        } else if (!response.truncated()) {
            assertThat(response.status()).isEqualTo(503);
        }
        return whole;
    }
}
