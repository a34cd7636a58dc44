package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients of HTTP/2 that take what lies in the kernel for them, before they open a window, or where it is open all the time; and those that
 * do neither ({@code timeouts.send-stall}).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StalledReaderTest {
    private static final Duration STALL = Duration.ofMillis(1500);
    /** Linux makes twice of that, and tells of room once a third is free: a slow client takes several times {@link #STALL} for that. */
    private static final int KERNEL_BYTES = 200_000;

    private static final int NARROW_BYTES = 8192;
    private static final int WIDE = 1 << 30;
    private static final int SLOW_BYTES = 120_000;
    private static final int SLOW_BYTES_PER_SECOND = 30_000;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private ScriptedUpstream upstream;

    @BeforeAll
    void start() {
        upstream = ScriptedUpstream.start(request ->
                Answer.of(200).body(GeneratedBody.of(1, request.target().equals("/small") ? SLOW_BYTES : 64 << 20)));
    }

    @AfterAll
    void stop() {
        upstream.close();
    }

    private GatewayBuilder on(Transport transport, boolean encrypted) {
        GatewayBuilder builder = GatewayFixture.to(upstream)
                .transport(transport)
                .timeout("sendStallNanos", STALL)
                .runtime("sendBufferBytes", KERNEL_BYTES);
        return encrypted ? builder.tls(Encryption.SHARED.speaking("h2")) : builder.tls(null);
    }

    private static Http2Client connect(GatewayFixture gateway, boolean encrypted, int... settings) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(NARROW_BYTES);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port()));
        return Http2Client.over(encrypted ? Encryption.SHARED.wrap(socket, "h2") : socket, settings);
    }

    /** Reads slowly, frame by frame, until so much of bodies has come, and opens no window. */
    private static void readSlowly(Http2Client client, int bytes) throws IOException {
        long began = System.nanoTime();
        for (long read = 0; read < bytes; ) {
            Frame frame = client.next();
            assertThat(frame.type()).isNotIn(Http2Client.RST_STREAM, Http2Client.GOAWAY);
            read += frame.type() == Http2Client.DATA ? frame.payload().length : 0;
            long until = began + read * Duration.ofSeconds(1).toNanos() / SLOW_BYTES_PER_SECOND;
            Await.until("as slow as that", () -> System.nanoTime() >= until);
        }
    }

    private static void assertNotCut(GatewayFixture gateway) {
        assertThat(gateway.faults(Fault.CLIENT_STALLED)).isZero();
        assertThat(gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "IO_URING"})
    void whoReadsWhatLiesInTheKernelIsNotCut(Transport transport) {
        Needed.transport(transport);
        CompletableFuture<Void> plain = Background.run(() -> windowsAreOpen(transport, false));
        CompletableFuture<Void> encrypted = Background.run(() -> windowsAreOpen(transport, true));
        CompletableFuture<Void> closed = Background.run(() -> windowIsOpenedLate(transport));
        plain.join();
        encrypted.join();
        closed.join();
    }

    private void windowsAreOpen(Transport transport, boolean encrypted) throws IOException {
        try (GatewayFixture gateway = on(transport, encrypted).start();
                Http2Client client = connect(gateway, encrypted, Http2Client.INITIAL_WINDOW_SIZE, WIDE)) {
            client.window(0, WIDE).get(1, "/");
            readSlowly(client, SLOW_BYTES);
            assertNotCut(gateway);
        }
    }

    /** The first windows, of 64 KiB, are long used up when it has read enough to open others. */
    private void windowIsOpenedLate(Transport transport) throws IOException {
        try (GatewayFixture gateway = on(transport, false).start();
                Http2Client client = connect(gateway, false)) {
            client.get(1, "/");
            for (int i = 0; i < 2; i++) {
                readSlowly(client, Frames.WINDOW_BYTES_FIRST);
                client.window(0, Frames.WINDOW_BYTES_FIRST).window(1, Frames.WINDOW_BYTES_FIRST);
            }
            assertNotCut(gateway);
        }
    }

    @ParameterizedTest
    @CsvSource({"EPOLL,false", "EPOLL,true", "IO_URING,false", "IO_URING,true"})
    void whoReadsNothingIsCut(Transport transport, boolean encrypted) throws IOException {
        Needed.transport(transport);
        try (GatewayFixture gateway = on(transport, encrypted).start();
                Http2Client client = connect(gateway, encrypted, Http2Client.INITIAL_WINDOW_SIZE, WIDE)) {
            client.window(0, WIDE).get(1, "/");
            client.await(Http2Client.SETTINGS);
            long last = System.nanoTime();
            Await.until("the client cut", () -> gateway.faults(Fault.CLIENT_STALLED) == 1);
            assertThat(System.nanoTime() - last).isBetween(STALL.toNanos(), STALL.toNanos() * 2);
        }
    }

    /** What the client takes of another stream is no progress of one whose window it leaves closed. */
    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "IO_URING"})
    void aWindowThatStaysClosedBesideAStreamThatIsRead(Transport transport) throws IOException {
        Needed.transport(transport);
        try (GatewayFixture gateway = on(transport, false)
                        .runtime("sendBufferBytes", NARROW_BYTES)
                        .start();
                Http2Client client = connect(gateway, false, Http2Client.INITIAL_WINDOW_SIZE, 1000)) {
            client.window(0, WIDE).get(1, "/").get(3, "/").window(3, WIDE);
            long began = System.nanoTime();
            Frame frame = client.next();
            long read = 0;
            while (frame.type() != Http2Client.RST_STREAM) {
                read += frame.payload().length;
                long until = began + read * Duration.ofSeconds(1).toNanos() / (6 * SLOW_BYTES_PER_SECOND);
                Await.until("as slow as that", () -> System.nanoTime() >= until);
                frame = client.next();
            }
            assertThat(frame.stream()).isEqualTo(1);
            assertThat(System.nanoTime() - began).isBetween(STALL.toNanos(), STALL.toNanos() * 4);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isEqualTo(1);
        }
    }

    /** All of the answer lies in the kernel, and the time for another request passes before the client has read it. */
    @ParameterizedTest
    @CsvSource({"EPOLL,false", "EPOLL,true", "IO_URING,false", "IO_URING,true"})
    void whoReadsLongerThanConnectionsAreKeptGetsAll(Transport transport, boolean encrypted) throws IOException {
        Needed.transport(transport);
        try (GatewayFixture gateway = on(transport, encrypted)
                        .timeout("keepAliveNanos", Duration.ofMillis(300))
                        .timeout("lingerNanos", Duration.ofMillis(800))
                        .start();
                Http2Client client = connect(gateway, encrypted, Http2Client.INITIAL_WINDOW_SIZE, WIDE)) {
            client.window(0, WIDE).get(1, "/small");
            long began = System.nanoTime();
            Frame frame = client.await(Http2Client.DATA);
            long read = frame.payload().length;
            while (!frame.has(Http2Client.END_STREAM)) {
                // As it reads it opens a window that is open: whoever has closed answers with a reset.
                client.window(0, frame.payload().length);
                long until = began + read * Duration.ofSeconds(1).toNanos() / (2 * SLOW_BYTES_PER_SECOND);
                Await.until("as slow as that", () -> System.nanoTime() >= until);
                frame = client.await(Http2Client.DATA);
                read += frame.payload().length;
            }
            assertThat(read).isEqualTo(SLOW_BYTES);
            assertThat(System.nanoTime() - began)
                    .isGreaterThan(Duration.ofMillis(1500).toNanos());
            Await.until("closed", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isZero();
        }
    }
}
