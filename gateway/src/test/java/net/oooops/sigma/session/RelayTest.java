package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Bytes of a session pass both ways unchanged; how one side ends is how the other sees it end. */
class RelayTest {
    private final RawServer node = RawServer.start();

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void bytesPassBothWays() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            client.send("ping");
            assertThat(text(server, 4)).isEqualTo("ping");
            server.send("pong!");
            assertThat(text(client, 5)).isEqualTo("pong!");
            gateway.awaitCount(Counter.DOWNSTREAM_BYTES_RECEIVED, 4);
            gateway.awaitCount(Counter.UPSTREAM_BYTES_SENT, 4);
            gateway.awaitCount(Counter.UPSTREAM_BYTES_RECEIVED, 5);
            gateway.awaitCount(Counter.DOWNSTREAM_BYTES_SENT, 5);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
        }
    }

    @Test
    void theServerMaySpeakFirst() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            server.send("220 hello\r\n");
            assertThat(text(client, 11)).isEqualTo("220 hello\r\n");
        }
    }

    @Test
    void aClientThatShutsItsSendingSideDownStillGetsTheAnswer() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            client.send("question").halfClose();
            assertThat(new String(server.readUntilClose(), US_ASCII)).isEqualTo("question");
            server.send("answer");
            assertThat(text(client, 6)).isEqualTo("answer");
            server.send(" and more").halfClose();
            assertThat(text(client, 9)).isEqualTo(" and more");
            client.expectCleanClose();
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
            assertThat(gateway.count(Counter.SESSIONS_CUT)).isZero();
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
        }
    }

    @Test
    void aNodeThatShutsItsSendingSideDownStillGetsTheRest() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            server.send("all I have").halfClose();
            assertThat(new String(client.readUntilClose(), US_ASCII)).isEqualTo("all I have");
            client.send("mine");
            assertThat(text(server, 4)).isEqualTo("mine");
            client.halfClose();
            server.expectCleanClose();
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
        }
    }

    @Test
    void whatWasSentWithTheEndIsThereWhenTheNodeIs() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect()) {
            client.send("all at once").halfClose();
            try (RawClient server = node.accept()) {
                assertThat(new String(server.readUntilClose(), US_ASCII)).isEqualTo("all at once");
                server.send("thanks").halfClose();
                assertThat(new String(client.readUntilClose(), US_ASCII)).isEqualTo("thanks");
            }
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
        }
    }

    @Test
    void aResetOfTheClientIsOneForTheNode() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            client.send("begin");
            assertThat(text(server, 5)).isEqualTo("begin");
            client.reset();
            server.expectReset();
            gateway.awaitFaults(Fault.CLIENT_GONE, 1);
            gateway.awaitCount(Counter.SESSIONS_CUT, 1);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @Test
    void aResetOfTheNodeIsOneForTheClientAfterWhatCameBefore() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            server.send("the beginning");
            assertThat(text(client, 13)).isEqualTo("the beginning");
            server.reset();
            client.expectReset();
            gateway.awaitFaults(Fault.UPSTREAM_CLOSED, 1);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @Test
    void aResetAfterTheEndOfTheSendingSideIsOneToo() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            client.send("question").halfClose();
            server.readUntilClose();
            client.reset();
            // It has read the FIN, so it sees the RST where it sends.
            Await.until("the node's connection is reset", () -> !takes(server));
            gateway.awaitFaults(Fault.CLIENT_GONE, 1);
        }
    }

    @Test
    void whatCameBeforeAResetIsPassedOn() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (TcpFixture gateway = TcpFixture.to(node).start();
                    RawClient client = gateway.connect();
                    RawClient server = node.accept()) {
                client.send("question");
                server.readExactly(8);
                server.send("x".repeat(200_000));
                server.reset();
                String got = new String(client.readUntilClose(), US_ASCII);
                assertThat(got).isNotEmpty();
                gateway.awaitFaults(Fault.UPSTREAM_CLOSED, 1);
                Await.until(
                        "all that was passed on is counted",
                        () -> gateway.count(Counter.UPSTREAM_BYTES_RECEIVED) >= got.length());
            }
        }
    }

    @Test
    void whereNoBytePassesBothSidesAreReset() throws Exception {
        try (TcpFixture gateway =
                        TcpFixture.to(node).server("idle-timeout", "300ms").start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            client.send("a");
            server.readExactly(1);
            long from = System.nanoTime();
            client.expectReset();
            assertThat(System.nanoTime() - from)
                    .isGreaterThan(Duration.ofMillis(250).toNanos());
            server.expectReset();
            gateway.awaitFaults(Fault.SESSION_IDLE, 1);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @Test
    void bytesOfEitherSideKeepASessionFromBeingIdle() throws Exception {
        try (TcpFixture gateway =
                        TcpFixture.to(node).server("idle-timeout", "400ms").start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            server.sendInPieces(new byte[12], 1, Duration.ofMillis(100));
            assertThat(client.readExactly(12)).hasSize(12);
            client.sendInPieces(new byte[12], 1, Duration.ofMillis(100));
            assertThat(server.readExactly(12)).hasSize(12);
            assertThat(gateway.faults(Fault.SESSION_IDLE)).isZero();
        }
    }

    /** No byte passes for longer than a session may be idle: the kernel has enough of them for the client, which reads. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void whoTakesWhatLiesInTheKernelIsNotIdle() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                        .runtime("send-buffer", "200KiB")
                        .server("idle-timeout", "1500ms")
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8192));
                RawClient server = node.accept()) {
            CompletableFuture<Void> sent =
                    Background.run(() -> server.deadline(Duration.ofSeconds(60)).send(GeneratedBody.of(1, 64 << 20)));
            assertThat(client.readInPieces(120_000, 2048, Duration.ofMillis(70)))
                    .hasSize(120_000);
            assertThat(gateway.faults(Fault.SESSION_IDLE)).isZero();
            // From now on it reads nothing.
            gateway.awaitFaults(Fault.SESSION_IDLE, 1);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            assertThat(sent).failsWithin(Duration.ofSeconds(5));
        }
    }

    @Test
    void beyondTheMostConnectionsAreResetAndCounted() throws Exception {
        try (TcpFixture gateway =
                        TcpFixture.to(node).server("max-connections", 2).start();
                RawClient one = gateway.connect();
                RawClient two = gateway.connect();
                RawClient ofOne = node.accept();
                RawClient ofTwo = node.accept()) {
            gateway.expectRefused(ClientOptions.defaults());
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_REFUSED, 1);
            one.halfClose();
            ofOne.expectCleanClose();
            ofOne.halfClose();
            one.expectCleanClose();
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
            try (RawClient other = gateway.connect();
                    RawClient ofOther = node.accept()) {
                other.send("in");
                assertThat(text(ofOther, 2)).isEqualTo("in");
            }
            two.send("too");
            assertThat(text(ofTwo, 3)).isEqualTo("too");
        }
    }

    @Test
    void sessionsGoOnWhileTheGatewayDrains() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            int port = gateway.port();
            CompletableFuture<Long> stopped = gateway.stop(Duration.ofSeconds(20));
            Await.until("connections refused", () -> isRefused(port));
            client.send("still");
            assertThat(text(server, 5)).isEqualTo("still");
            server.send("served");
            assertThat(text(client, 6)).isEqualTo("served");
            assertThat(stopped).isNotDone();
            client.halfClose();
            server.expectCleanClose();
            server.halfClose();
            client.expectCleanClose();
            assertThat(stopped.get()).isZero();
        }
    }

    @Test
    void whatDoesNotEndInTheTimeToDrainIsReset() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 1);
            CompletableFuture<Long> stopped = gateway.stop(Duration.ofMillis(300));
            assertThat(stopped.get()).isOne();
            client.expectReset();
            server.expectReset();
            gateway.awaitFaults(Fault.SESSION_CUT, 1);
        }
    }

    private static boolean isRefused(int port) {
        try (RawClient client = RawClient.connect(port)) {
            client.reset();
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    @Test
    void everyWorkerServesSessions() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                .workers(2)
                .top("limits", Map.of("write-buffer", "1KiB"))
                .start()) {
            for (int i = 0; i < 20; i++) {
                try (RawClient client = gateway.connect();
                        RawClient server = node.accept()) {
                    client.send("x".repeat(5000));
                    assertThat(text(server, 5000)).hasSize(5000);
                }
            }
        }
    }

    private static boolean takes(RawClient to) {
        try {
            return to.sendUnlessClosed(new byte[10], 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(RawClient from, int bytes) throws IOException {
        return new String(from.readExactly(bytes), US_ASCII);
    }
}
