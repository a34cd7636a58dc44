package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.listen.RawDescriptors;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.SecureClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A gateway gives its place to another one, and takes it back. */
@ParameterizedClass
@EnumSource(
        value = Transport.class,
        names = {"EPOLL", "IO_URING"})
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class HandoverTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int CONNECTIONS = 40;

    private final Transport transport;
    private final ScriptedUpstream one = ScriptedUpstream.start(request -> Answer.ok("one"));
    private final ScriptedUpstream other = ScriptedUpstream.start(request -> Answer.ok("other"));
    /** What tells them from others. */
    private final List<String> handedOver = new ArrayList<>();

    private Taking gateway;

    HandoverTest(Transport transport) {
        this.transport = transport;
    }

    @BeforeEach
    void start() throws StartException {
        Needed.transport(transport);
        gateway = Taking.start(sigma(one), 2, Takeover.NONE);
    }

    @AfterEach
    void close() throws IOException {
        gateway.close();
        one.close();
        other.close();
        for (String each : handedOver) {
            assertThat(RawDescriptors.isGone(each)).as(each).isTrue();
        }
    }

    private ObjectNode sigma(ScriptedUpstream node) {
        return Taking.sigma(transport, node.port(), Map.of("a", 0));
    }

    private static CompletableFuture<Boolean> drain(Handover handover, Handover.Watch watch) {
        return CompletableFuture.supplyAsync(() -> handover.drain(watch), Thread::startVirtualThread);
    }

    /** To a process that needs no sockets here. */
    private Handover handOver() throws StartException {
        return gateway.gateway().handOver(passed -> {});
    }

    /** To one that gets them: whoever asks closes them. */
    private Handover handOver(List<PassedSocket> sockets) throws StartException {
        return gateway.gateway().handOver(passed -> {
            sockets.addAll(Taking.copies(passed));
            sockets.forEach(each -> handedOver.add(RawDescriptors.socketOf(each.descriptor())));
        });
    }

    @Test
    void whoeverComesIsAnsweredByTheOther() throws Exception {
        List<PassedSocket> sockets = new ArrayList<>();
        Handover handover = handOver(sockets);
        int port = gateway.port();
        assertThat(sockets).hasSize(2).allMatch(each -> each.listenerId().equals("a") && each.shared());
        try (RawClient kept = RawClient.connect(port);
                Taking next = Taking.start(sigma(other), 2, new Proving(sockets))) {
            assertThat(Taking.get(kept).bodyText()).isEqualTo("one");
            gateway.awaitAnswered(1);
            Watching watch = new Watching(LONG);
            CompletableFuture<Boolean> drained = drain(handover, watch);

            watch.awaitWatched();
            kept.expectCleanClose();
            assertThat(drained.get()).isTrue();
            assertThat(next.port()).isEqualTo(port);
            for (int i = 0; i < CONNECTIONS; i++) {
                assertThat(Taking.get(port).bodyText()).isEqualTo("other");
            }
            assertThat(gateway.count(Counter.REQUESTS_2XX)).isEqualTo(1);
            gateway.close();
            assertThat(Taking.get(port).bodyText()).isEqualTo("other");
        }
    }

    /** Asks itself first. */
    private record Proving(List<PassedSocket> sockets) implements Takeover {
        @Override
        public void take(Gateway gateway, Proof proof) throws StartException {
            proof.prove();
        }
    }

    @Test
    void whatIsUnderWayComesToItsEnd() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream slow =
                ScriptedUpstream.play(Script.script().readRequest().stall(gate).respond(Answer.ok("slow")))) {
            gateway.close();
            gateway = Taking.start(sigma(slow), 1, Takeover.NONE);
            Handover handover = handOver();
            try (RawClient client = RawClient.connect(gateway.port());
                    RawClient idle = RawClient.connect(gateway.port())) {
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                slow.awaitRequests(1);
                Await.until("connected", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 2);
                Watching watch = new Watching(LONG);
                CompletableFuture<Boolean> drained = drain(handover, watch);
                Await.until("proven", () -> watch.provenCount() == 1);
                idle.expectCleanClose();

                assertThat(drained).isNotDone();
                gate.release();
                RawResponse response = client.readResponse();
                assertThat(response.bodyText()).isEqualTo("slow");
                assertThat(response.header("Connection")).isEqualTo("close");
                assertThat(drained.get()).isTrue();
                assertThat(watch.provenCount()).isEqualTo(1);
            }
        }
    }

    /** The first clients of the other one may be its end: this one is still there then, though it has nothing to do. */
    @Test
    void itStaysUntilTheOtherHasShownThatItLives() throws Exception {
        Handover handover = handOver();
        Watching watch = new Watching(LONG).probation(LONG);
        CompletableFuture<Boolean> drained = drain(handover, watch);
        watch.awaitWatched().end();

        assertThat(drained.get()).isFalse();
        assertThat(watch.provenCount()).isZero();
    }

    @Test
    void whatDoesNotEndIsNotWaitedForBeyondTheLimit() throws Exception {
        try (ScriptedUpstream never = ScriptedUpstream.blackhole()) {
            gateway.reload(sigma(never));
            Handover handover = handOver();
            try (RawClient client = RawClient.connect(gateway.port())) {
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                never.awaitRequests(1);
                long from = System.nanoTime();

                assertThat(handover.drain(new Watching(Duration.ofMillis(300)))).isTrue();

                assertThat(System.nanoTime() - from).isBetween(300_000_000L, 10_000_000_000L);
            }
        }
    }

    @Test
    void takenBackAllIsAsBefore() throws Exception {
        List<PassedSocket> sockets = new ArrayList<>();
        Handover handover = handOver(sockets);
        handover.letGo();
        assertThat(handover.drain(new Watching(LONG).end())).isFalse();
        sockets.forEach(PassedSocket::close);

        handover.takeBack(gateway.gateway().config());

        try (RawClient kept = RawClient.connect(gateway.port())) {
            for (int i = 0; i < 3; i++) {
                RawResponse response = Taking.get(kept);
                assertThat(response.bodyText()).isEqualTo("one");
                assertThat(response.headers().values("Connection")).isEmpty();
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                assertThat(gateway.get().bodyText()).isEqualTo("one");
            }
            gateway.reload(sigma(other));
            assertThat(Taking.get(kept).bodyText()).isEqualTo("other");
        }
        handOver().abandon();
    }

    /** It was told to begin soon, or not at all. */
    @Test
    void whoHasNotBegunItsHandshakeHasItsTimeAgainWhenItIsTakenBack(@TempDir Path dir) throws Exception {
        Certificates certificates = new Certificates(dir);
        CertificateFiles shown = certificates.files(certificates.issued("a.example"));
        ObjectNode sigma = sigma(one);
        ObjectNode servers = (ObjectNode) sigma.get("proxy-server");
        ObjectNode server = (ObjectNode) servers.remove("http").get(0);
        server.putObject("ssl")
                .put("certPath", shown.certificates().toString())
                .put("keyPath", shown.all().get(1).toString());
        servers.putArray("https").add(server);
        sigma.putObject("timeouts").put("drain-idle", "500ms").put("handshake", "60s");
        try (Taking encrypting = Taking.start(sigma, 1, Takeover.NONE);
                Socket silent = new Socket(InetAddress.getLoopbackAddress(), encrypting.port())) {
            Await.value(
                    "handshakes", () -> encrypting.count(Counter.TLS_HANDSHAKES_IN_FLIGHT), Long.valueOf(1)::equals);
            Handover handover = encrypting.gateway().handOver(passed -> {});
            assertThat(handover.drain(new Watching(LONG).end())).isFalse();

            handover.takeBack(encrypting.gateway().config());

            silent.setSoTimeout(2000);
            assertThatThrownBy(() -> silent.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            SecureClient secure = new SecureClient(certificates.authority(), null);
            try (RawClient client = RawClient.of(secure.over(silent, "a.example"), LONG)) {
                client.send("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("one");
            }
        }
    }

    /** Who has connected meanwhile waits in its sockets. */
    @Test
    void whoHasWaitedIsAnsweredWhenItIsTakenBack() throws Exception {
        List<PassedSocket> sockets = new ArrayList<>();
        Handover handover = handOver(sockets);
        assertThat(handover.drain(new Watching(LONG))).isTrue();
        List<RawClient> waiting = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            waiting.add(RawClient.connect(gateway.port()).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
        }
        sockets.forEach(PassedSocket::close);

        handover.takeBack(gateway.gateway().config());

        for (RawClient client : waiting) {
            assertThat(client.readResponse().bodyText()).isEqualTo("one");
            client.close();
        }
    }

    /** Where the other one has no such server, nobody is left to wait there; where it ends, that server is back. */
    @Test
    void aServerThatTheOtherHasNotRefusesAndComesBack() throws Exception {
        int kept = FreePorts.one();
        int gone = FreePorts.one();
        gateway.close();
        gateway = Taking.start(Taking.sigma(transport, one.port(), Map.of("a", kept, "b", gone)), 2, Takeover.NONE);
        List<PassedSocket> sockets = new ArrayList<>();
        Handover handover = handOver(sockets);
        Watching watch = new Watching(LONG).probation(LONG);
        CompletableFuture<Boolean> drained;
        try (Taking next =
                Taking.start(Taking.sigma(transport, other.port(), Map.of("a", kept)), 2, new Proving(sockets))) {
            drained = drain(handover, watch);
            watch.awaitWatched();
            Await.until("refused", () -> isRefused(gone));
            assertThat(next.get().bodyText()).isEqualTo("other");
        }
        watch.end();
        assertThat(drained.get()).isFalse();

        handover.takeBack(gateway.gateway().config());

        for (int i = 0; i < CONNECTIONS; i++) {
            assertThat(Taking.get(kept).bodyText()).isEqualTo("one");
            assertThat(Taking.get(gone).bodyText()).isEqualTo("one");
        }
        assertThat(gateway.gateway().addresses()).hasSize(2);
        // And it can be handed over again.
        assertThat(gateway.gateway().handOver(passed -> assertThat(passed).hasSize(4)))
                .isNotNull();
    }

    private static boolean isRefused(int port) {
        try (RawClient _ = RawClient.connect(port)) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** One that it can't keep from being accepted would be cut where it ends a moment later. */
    @Test
    void nothingIsAcceptedWhileItDrains() throws Exception {
        Handover handover = handOver();
        assertThat(handover.drain(new Watching(LONG))).isTrue();
        List<RawClient> waiting = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            waiting.add(RawClient.connect(gateway.port()).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
        }

        waiting.getFirst().expectSilence(Duration.ofMillis(300));

        assertThat(gateway.count(Counter.DOWNSTREAM_CONNECTIONS_ACCEPTED)).isZero();
        for (RawClient client : waiting) {
            client.close();
        }
    }

    @Test
    void theAdminServerIsLetGoAndComesBack() throws Exception {
        ObjectNode sigma = sigma(one);
        sigma.withObject("/proxy-server/admin").put("port", FreePorts.one());
        try (Taking administered = Taking.start(sigma, 1, Takeover.NONE)) {
            assertThat(status(administered)).isEqualTo(200);
            Handover handover = administered.gateway().handOver(passed -> {});

            handover.letGo();
            assertThatThrownBy(() -> status(administered)).isInstanceOf(Exception.class);

            handover.takeBack(administered.gateway().config());
            assertThat(status(administered)).isEqualTo(200);
        }
    }

    private static int status(Taking administered) throws IOException {
        InetSocketAddress admin = Objects.requireNonNull(administered.gateway().adminAddress(), "no admin server");
        HttpURLConnection connection =
                (HttpURLConnection) URI.create("http://127.0.0.1:" + admin.getPort() + "/health/live")
                        .toURL()
                        .openConnection();
        return connection.getResponseCode();
    }

    @Test
    void noReloadAndNoOtherHandoverMeanwhile() throws Exception {
        Handover handover = handOver();

        assertThatThrownBy(() -> gateway.reload(sigma(other)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("an upgrade is under way");
        assertThatThrownBy(() -> handOver())
                .isInstanceOf(StartException.class)
                .hasMessageContaining("an upgrade is under way");
        assertThat(gateway.get().bodyText()).isEqualTo("one");
        assertThat(gateway.gateway().generation()).isEqualTo(1);

        handover.abandon();
        gateway.reload(sigma(other));
        assertThat(gateway.get().bodyText()).isEqualTo("other");
    }

    /** It may be stopped in the middle, as with Ctrl-C. */
    @Test
    void itCanBeStoppedMeanwhile() throws Exception {
        List<PassedSocket> sockets = new ArrayList<>();
        Handover handover = handOver(sockets);
        assertThat(handover.drain(new Watching(LONG))).isTrue();

        assertThat(gateway.gateway().stop(LONG)).isZero();

        assertThatThrownBy(() -> gateway.gateway().handOver(passed -> {}))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("is stopping");
        for (PassedSocket each : sockets) {
            String socket = RawDescriptors.socketOf(each.descriptor());
            each.close();
            assertThat(RawDescriptors.isGone(socket)).as(socket).isTrue();
        }
    }

    /** The next one of the next one. */
    @Test
    void whatWasTakenOverIsHandedOver() throws Exception {
        List<PassedSocket> first = new ArrayList<>();
        handOver(first);
        int port = gateway.port();
        try (Taking second = Taking.start(sigma(other), 3, new Proving(first))) {
            gateway.close();
            assertThat(second.get().bodyText()).isEqualTo("other");
            List<PassedSocket> again = new ArrayList<>();
            Handover handover = second.gateway().handOver(passed -> again.addAll(Taking.copies(passed)));
            assertThat(again).hasSize(3).allMatch(each -> each.local().getPort() == port);
            try (Taking third = Taking.start(sigma(one), 1, new Proving(again))) {
                assertThat(handover.drain(new Watching(LONG))).isTrue();
                second.gateway().stop(Duration.ZERO);
                for (int i = 0; i < CONNECTIONS; i++) {
                    assertThat(third.get().bodyText()).isEqualTo("one");
                }
                assertThat(third.port()).isEqualTo(port);
            }
        }
    }

    @Test
    void nioIsRefused() throws Exception {
        try (Taking plain = Taking.start(Taking.sigma(Transport.NIO, one.port(), Map.of("a", 0)), 1, Takeover.NONE)) {
            assertThatThrownBy(() -> plain.gateway().handOver(passed -> {}))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("runtime.transport: nio (expected: epoll or io_uring");

            plain.reload(Taking.sigma(Transport.NIO, other.port(), Map.of("a", 0)));
            assertThat(plain.get().bodyText()).isEqualTo("other");
        }
    }
}
