package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.Test;

/** Bytes arrive unchanged and complete: much through one session, and through many sessions at once. */
class TransferTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long BIG_BYTES = 128L << 20;
    private static final int SESSIONS = 400;
    private static final int EACH_BYTES = 200_000;

    @Test
    void muchPassesBothWaysThroughOneSession() throws Exception {
        GeneratedBody up = GeneratedBody.of(1, BIG_BYTES);
        GeneratedBody down = GeneratedBody.of(2, BIG_BYTES);
        try (RawServer node = RawServer.start();
                TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            Queue<Object> outcomes = new ConcurrentLinkedQueue<>();
            CountDownLatch done = new CountDownLatch(4);
            run(done, outcomes, () -> sent(client, up));
            run(done, outcomes, () -> sent(server, down));
            run(done, outcomes, () -> received(client.socket()));
            run(done, outcomes, () -> received(server.socket()));
            assertThat(done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(outcomes).containsExactlyInAnyOrder("sent", "sent", up.sha256(), down.sha256());
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
            gateway.awaitCount(Counter.DOWNSTREAM_BYTES_RECEIVED, BIG_BYTES);
            gateway.awaitCount(Counter.DOWNSTREAM_BYTES_SENT, BIG_BYTES);
        }
    }

    @Test
    void manySessionsAtOnceAreEachWhole() throws Exception {
        try (RawServer node = RawServer.start();
                TcpFixture gateway = TcpFixture.to(node).workers(2).start()) {
            Queue<Object> outcomes = new ConcurrentLinkedQueue<>();
            CountDownLatch done = new CountDownLatch(2 * SESSIONS);
            CountDownLatch all = new CountDownLatch(SESSIONS);
            for (int i = 0; i < SESSIONS; i++) {
                GeneratedBody body = GeneratedBody.of(i, EACH_BYTES + i);
                run(done, outcomes, () -> echoed(gateway, body, all));
            }
            for (int i = 0; i < SESSIONS; i++) {
                RawClient server = node.accept();
                run(done, outcomes, () -> echo(server));
            }
            assertThat(done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(outcomes).hasSize(2 * SESSIONS).containsOnly("whole", "echoed");
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, SESSIONS);
        }
    }

    private interface Part {
        Object run() throws IOException, InterruptedException;
    }

    private static void run(CountDownLatch done, Queue<Object> outcomes, Part part) {
        Thread.ofVirtual().start(() -> {
            try {
                outcomes.add(part.run());
            } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
                outcomes.add(e);
            }
            done.countDown();
        });
    }

    private static Object sent(RawClient from, GeneratedBody body) throws IOException {
        from.deadline(PATIENCE).send(body).halfClose();
        return "sent";
    }

    private static Object received(Socket at) throws IOException {
        MessageDigest digest = Hash.digest();
        byte[] part = new byte[64 << 10];
        InputStream in = at.getInputStream();
        for (int count = in.read(part); count >= 0; count = in.read(part)) {
            digest.update(part, 0, count);
        }
        return Hash.hex(digest);
    }

    /** Sends a body while what comes back is read, when all the others are there too. */
    private static Object echoed(TcpFixture gateway, GeneratedBody body, CountDownLatch all)
            throws IOException, InterruptedException {
        try (RawClient client = gateway.connect()) {
            all.countDown();
            all.await();
            Thread sending = Thread.ofVirtual().start(() -> {
                try {
                    sent(client, body);
                } catch (IOException e) {
                    // What is missing is seen by its hash.
                    client.reset();
                }
            });
            Object hash = received(client.socket());
            sending.join();
            return hash.equals(body.sha256()) ? "whole" : "changed";
        }
    }

    private static Object echo(RawClient server) throws IOException {
        try (server) {
            server.socket().getInputStream().transferTo(server.socket().getOutputStream());
            server.halfClose();
            return "echoed";
        }
    }
}
