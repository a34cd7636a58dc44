package net.oooops.sigma.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
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

/** Many exchanges with a side that is slow hold no more than is said; the others go on, and nothing is lost. */
@Isolated("direct memory")
class ExchangeMemoryTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int EXCHANGES = 200;
    private static final int EACH_BYTES = 600_000;
    private static final int BOUND_BYTES = 1 << 20;
    /** What each may hold beyond: a little that was read as the bound was reached, on both sides, and what it is made of. */
    private static final int BEYOND_EACH_BYTES = 12 << 10;
    /** A request that is as long as heads may be, nearly. */
    private static final String LONG_REQUEST = "GET /more HTTP/1.1\r\nHost: a\r\nX-A: " + "a".repeat(6000) + "\r\n\r\n";

    private static final int PIPELINED = 12;
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private final RawServer node = RawServer.start(8192);
    private final List<RawClient> clients = new ArrayList<>();
    private final List<RawClient> servers = new ArrayList<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    /** What the sockets of the side that sends have taken. */
    private final AtomicLong sentBytes = new AtomicLong();

    @AfterEach
    void stop() {
        clients.forEach(RawClient::close);
        servers.forEach(RawClient::close);
        node.close();
    }

    @Test
    void clientsThatDoNotReadDoNotTakeAllMemory() throws Exception {
        try (GatewayFixture gateway = gateway();
                DirectMemory memory = DirectMemory.watched()) {
            for (int i = 0; i < EXCHANGES; i++) {
                request(gateway, "GET /down HTTP/1.1\r\nHost: a\r\n\r\n");
                RawClient server = servers.getLast();
                server.send("HTTP/1.1 200 OK\r\nContent-Length: " + EACH_BYTES + "\r\n\r\n");
                send(server, GeneratedBody.of(i, EACH_BYTES));
            }
            assertBounded(gateway, memory);
            eachEnds(i -> {
                RawResponse response = clients.get(i).readResponse();
                assertThat(response.bodySha256())
                        .isEqualTo(GeneratedBody.of(i, EACH_BYTES).sha256());
            });
        }
    }

    @Test
    void nodesThatDoNotReadDoNotTakeAllMemory() throws Exception {
        try (GatewayFixture gateway = gateway();
                DirectMemory memory = DirectMemory.watched()) {
            for (int i = 0; i < EXCHANGES; i++) {
                request(gateway, "POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: " + EACH_BYTES + "\r\n\r\n");
                send(clients.getLast(), GeneratedBody.of(i, EACH_BYTES));
            }
            assertBounded(gateway, memory);
            eachEnds(i -> {
                assertGot(servers.get(i), GeneratedBody.of(i, EACH_BYTES));
                servers.get(i).send(OK);
                assertThat(clients.get(i).readResponse().bodyText()).isEqualTo("ok");
            });
        }
    }

    @Test
    void requestsThatWaitForTheOneBeforeDoNotTakeAllMemory() throws Exception {
        try (GatewayFixture gateway = gateway();
                DirectMemory memory = DirectMemory.watched()) {
            byte[] pipelined = LONG_REQUEST.repeat(PIPELINED).getBytes(US_ASCII);
            for (int i = 0; i < EXCHANGES; i++) {
                request(gateway, "GET /first HTTP/1.1\r\nHost: a\r\n\r\n");
                RawClient client = clients.getLast();
                Thread.ofVirtual()
                        .start(() -> guarded(() -> {
                            counted(client).write(pipelined);
                        }));
            }
            assertBounded(gateway, memory);
            servers.forEach(server -> Thread.ofVirtual().start(() -> answerAll(server)));
            // The pool may have become narrower and wider again meanwhile.
            Thread.ofVirtual().start(this::answerAllThatCome);
            eachEnds(i -> {
                for (int answers = 0; answers <= PIPELINED; answers++) {
                    assertThat(clients.get(i).readResponse().bodyText()).isEqualTo("ok");
                }
            });
        }
    }

    private static GatewayBuilder toNode(int port) {
        return GatewayFixture.toPorts(port)
                .memory("relayBytesMax", BOUND_BYTES)
                .runtime("sendBufferBytes", 8192)
                .runtime("allocator", RuntimeConfig.Allocator.UNPOOLED)
                // So much takes its time on a machine that does other things, too; how long is not what is looked at
                // here.
                .proxyPass("responseTimeoutNanos", Duration.ofMinutes(2))
                .client("maxPoolSizePerServer", 2 * EXCHANGES);
    }

    private GatewayFixture gateway() throws Exception {
        return toNode(node.port()).start();
    }

    /** Begins an exchange, whose head is with the node when this returns. */
    private void request(GatewayFixture gateway, String head) throws IOException {
        RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8192))
                .deadline(PATIENCE);
        clients.add(client);
        client.send(head);
        RawClient server = node.accept().deadline(PATIENCE);
        servers.add(server);
        requestHead(server);
    }

    private static String requestHead(RawClient server) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
            head.append((char) server.readExactly(1)[0]);
        }
        return head.toString();
    }

    private void assertBounded(GatewayFixture gateway, DirectMemory memory) throws Exception {
        Standstill standstill = new Standstill();
        Await.until("nothing is taken any more", PATIENCE, () -> standstill.seen(sentBytes.get()));
        assertThat(gateway.count(Counter.RELAY_MEMORY_SHORT)).isPositive();
        assertThat(memory.grownBytesMax()).isLessThan(BOUND_BYTES + EXCHANGES * BEYOND_EACH_BYTES);
        theOthersGoOn(gateway);
    }

    /** One with a body each way that is much larger than what may wait. */
    private void theOthersGoOn(GatewayFixture gateway) throws Exception {
        GeneratedBody body = GeneratedBody.of(EXCHANGES, EACH_BYTES);
        try (RawClient client = gateway.connect().deadline(PATIENCE)) {
            client.send("POST /other HTTP/1.1\r\nHost: a\r\nContent-Length: " + EACH_BYTES + "\r\n\r\n");
            try (RawClient server = node.accept().deadline(PATIENCE)) {
                requestHead(server);
                send(client, body);
                assertGot(server, body);
                server.send("HTTP/1.1 200 OK\r\nContent-Length: " + EACH_BYTES + "\r\n\r\n");
                send(server, body);
                assertThat(client.readResponse().bodySha256()).isEqualTo(body.sha256());
            }
        }
    }

    private static void assertGot(RawClient server, GeneratedBody body) throws IOException {
        boolean same = Arrays.equals(server.readExactly(EACH_BYTES), body.toBytes());
        assertThat(same).as("came unchanged").isTrue();
    }

    /** Answers the request that is there, and whichever come after it. */
    private static void answerAll(RawClient server) {
        try {
            server.send(OK);
        } catch (IOException | AssertionError e) {
            // The connection has ended: the clients' side tells whether too early.
        }
        answerMore(server);
    }

    private static void answerMore(RawClient server) {
        try (server) {
            while (requestHead(server).startsWith("GET /more HTTP/1.1\r\n")) {
                server.send(OK);
            }
        } catch (IOException | AssertionError e) {
            // As above.
        }
    }

    /** Answers all requests on further connections, until the node is closed. */
    private void answerAllThatCome() {
        try {
            while (true) {
                RawClient server = accepted();
                Thread.ofVirtual().start(() -> answerMore(server));
            }
        } catch (IOException | AssertionError e) {
            // The test is over.
        }
    }

    private RawClient accepted() throws IOException {
        while (true) {
            try {
                return node.accept().deadline(PATIENCE);
            } catch (SocketTimeoutException e) {
                // None is needed yet.
            }
        }
    }

    private void send(RawClient from, GeneratedBody body) {
        Thread.ofVirtual().start(() -> guarded(() -> body.writeTo(counted(from))));
    }

    private OutputStream counted(RawClient from) throws IOException {
        return new FilterOutputStream(from.socket().getOutputStream()) {
            @Override
            public void write(byte[] bytes, int offset, int count) throws IOException {
                for (int at = offset; at < offset + count; at += 1000) {
                    int part = Math.min(1000, offset + count - at);
                    out.write(bytes, at, part);
                    sentBytes.addAndGet(part);
                }
            }
        };
    }

    /** What may fail on a thread of its own. */
    private interface Part {
        void run() throws IOException;
    }

    private void guarded(Part part) {
        try {
            part.run();
        } catch (IOException | AssertionError e) {
            failures.add(e);
        }
    }

    /** What is left to do and to see of an exchange, by its number. */
    private interface Rest {
        void run(int number) throws IOException;
    }

    /** All at once: each has its deadlines. */
    private void eachEnds(Rest rest) throws InterruptedException {
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < EXCHANGES; i++) {
            int number = i;
            running.add(Thread.ofVirtual().start(() -> guarded(() -> rest.run(number))));
        }
        for (Thread each : running) {
            each.join();
        }
        assertThat(failures).isEmpty();
    }
}
