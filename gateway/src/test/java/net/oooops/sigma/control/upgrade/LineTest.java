package net.oooops.sigma.control.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.listen.RawDescriptors;
import net.oooops.sigma.testkit.Await;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What two processes that follow each other say to each other. */
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class LineTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);

    @TempDir
    Path dir;

    private Path path;
    private Line.Waiting waiting;
    private Line one;
    private Line other;

    @BeforeEach
    void connect() throws IOException {
        Needed.transport(Transport.EPOLL);
        path = dir.resolve("upgrade");
        waiting = Line.listen(path);
        other = Line.connect(path);
        one = Objects.requireNonNull(waiting.accept(LONG, () -> false));
    }

    @AfterEach
    void close() throws IOException {
        one.close();
        other.close();
        waiting.close();
        assertThat(path).doesNotExist();
    }

    @Test
    void bothSay() throws IOException {
        one.send(Map.of("a", 1), LONG);
        other.send(Map.of("b", List.of("c", "d")), LONG);

        assertThat(other.receive(LONG)).isEqualTo(Map.of("a", 1));
        assertThat(one.receive(LONG)).isEqualTo(Map.of("b", List.of("c", "d")));
    }

    /** More than a buffer, and more than the kernel keeps: whoever sends waits until it is taken. */
    @ParameterizedTest
    @ValueSource(ints = {16 << 10, (16 << 10) + 1, 4 << 20})
    void whatIsLargeArrivesWhole(int bytes) throws IOException {
        String text = "é".repeat(bytes);
        CompletableFuture<Void> sent = aside(() -> one.send(Map.of("a", text), LONG));

        assertThat(other.receive(LONG)).isEqualTo(Map.of("a", text));
        sent.join();
    }

    @Test
    void manyArriveInTheirOrder() throws IOException {
        CompletableFuture<Void> sent = aside(() -> {
            for (int i = 0; i < 20_000; i++) {
                one.send(Map.of("number", i), LONG);
            }
        });

        List<Object> numbers = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            numbers.add(Objects.requireNonNull(other.receive(LONG)).get("number"));
        }
        for (int i = 0; i < 20_000; i++) {
            assertThat(numbers.get(i)).isEqualTo(i);
        }
        sent.join();
    }

    @Test
    void aSocketThatIsPassedOnWorks() throws IOException {
        int listening = RawDescriptors.tcp("127.0.0.1", 0, false);
        int port = RawDescriptors.port(listening);
        one.pass(listening, LONG);
        RawDescriptors.close(listening);

        int taken = other.taken(LONG);

        PassedSocket passed = PassedSocket.of("http", taken);
        assertThat(passed.local().getPort()).isEqualTo(port);
        try (java.net.Socket client = new java.net.Socket(InetAddress.getLoopbackAddress(), port)) {
            int accepted = Await.value("accepted", () -> accept(taken), number -> number >= 0);
            assertThat(new Socket(accepted).remoteAddress().getPort()).isEqualTo(client.getLocalPort());
            RawDescriptors.close(accepted);
        } finally {
            passed.close();
        }
    }

    private static int accept(int listening) {
        try {
            return new Socket(listening).accept(new byte[256]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** As an upgrade says it: a message, the sockets of which it tells, and what comes after. */
    @Test
    void manySocketsBetweenMessages() throws IOException {
        int count = 200;
        List<String> sockets = new ArrayList<>();
        CompletableFuture<Void> sent = aside(() -> {
            one.send(Map.of("listeners", count), LONG);
            for (int i = 0; i < count; i++) {
                int descriptor = RawDescriptors.udp("127.0.0.1", 0, false);
                sockets.add(RawDescriptors.socketOf(descriptor));
                one.pass(descriptor, LONG);
                RawDescriptors.close(descriptor);
            }
            one.send(Map.of("yours", true), LONG);
        });

        assertThat(other.receive(LONG)).isEqualTo(Map.of("listeners", count));
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int descriptor = other.taken(LONG);
            taken.add(RawDescriptors.socketOf(descriptor));
            RawDescriptors.close(descriptor);
        }
        assertThat(other.receive(LONG)).isEqualTo(Map.of("yours", true));
        sent.join();
        assertThat(taken).isEqualTo(sockets).doesNotHaveDuplicates();
    }

    @Test
    void waitsHaveAnEnd() throws IOException {
        assertThatThrownBy(() -> one.receive(SHORT)).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> one.taken(SHORT)).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> waiting.accept(SHORT, () -> false)).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> one.send(Map.of("a", "a".repeat(4 << 20)), SHORT))
                .isInstanceOf(SocketTimeoutException.class);
        assertThat(waiting.accept(LONG, () -> true)).as("in vain").isNull();
    }

    /** Else the next message would be taken for the end of that one. */
    @Test
    void whatHasBegunToGoGoesFirst() throws IOException {
        String large = "a".repeat(4 << 20);
        assertThatThrownBy(() -> one.send(Map.of("a", large), SHORT)).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> one.send(Map.of("b", 1), SHORT))
                .as("nor is the rest of it taken")
                .isInstanceOf(SocketTimeoutException.class);
        CompletableFuture<Void> sent = aside(() -> one.send(Map.of("c", 2), LONG));

        assertThat(other.receive(LONG)).isEqualTo(Map.of("a", large));
        assertThat(other.receive(LONG)).isEqualTo(Map.of("c", 2));
        sent.join();
    }

    /** Nobody says it again. */
    @Test
    void whatIsQueuedIsNotLost() throws IOException {
        String large = "a".repeat(4 << 20);
        assertThatThrownBy(() -> one.send(Map.of("a", large), SHORT)).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> one.queue(Map.of("ended", "stop"), SHORT)).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> one.goOn(Duration.ZERO)).isInstanceOf(SocketTimeoutException.class);
        CompletableFuture<Void> sent = aside(() -> one.goOn(LONG));

        assertThat(other.receive(LONG)).isEqualTo(Map.of("a", large));
        assertThat(other.receive(LONG)).isEqualTo(Map.of("ended", "stop"));
        sent.join();
    }

    /** It has neither ended nor said anything. */
    @Test
    void whoStandsStillInTheMiddleIsHeardLater() throws IOException {
        String large = "a".repeat(4 << 20);
        assertThatThrownBy(() -> one.send(Map.of("a", large), SHORT)).isInstanceOf(SocketTimeoutException.class);
        assertThat(other.heard()).isNull();
        assertThatThrownBy(() -> other.receive(SHORT)).isInstanceOf(SocketTimeoutException.class);
        CompletableFuture<Void> sent = aside(() -> one.goOn(LONG));

        assertThat(other.receive(LONG)).isEqualTo(Map.of("a", large));
        sent.join();
    }

    @Test
    void passingHasAnEndToo() throws IOException {
        int descriptor = RawDescriptors.udp("127.0.0.1", 0, false);
        try {
            assertThatThrownBy(() -> {
                        while (true) {
                            one.pass(descriptor, SHORT);
                        }
                    })
                    .isInstanceOf(SocketTimeoutException.class);
        } finally {
            RawDescriptors.close(descriptor);
        }
    }

    @Test
    void whoHasEndedSaysNothingMore() throws IOException {
        other.close();

        assertThat(one.receive(LONG)).isNull();
        assertThatThrownBy(one::heard).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> one.taken(LONG))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has ended");
        assertThatThrownBy(() -> one.send(Map.of("a", 1), LONG)).isInstanceOf(IOException.class);
    }

    /** What it has said before counts. */
    @Test
    void whatWasSaidLastIsHeard() throws IOException {
        other.send(Map.of("ended", "stop"), LONG);
        other.close();

        assertThat(one.heard()).isEqualTo(Map.of("ended", "stop"));
        assertThatThrownBy(one::heard).isInstanceOf(EOFException.class);
    }

    @Test
    void nothingIsHeardWhereNothingIsSaid() throws IOException {
        assertThat(one.heard()).isNull();
        other.send(Map.of("a", 1), LONG);
        Await.value("heard", this::heard, Map.of("a", 1)::equals);
        assertThat(one.heard()).isNull();
    }

    private Map<String, @Nullable Object> heard() {
        try {
            return Objects.requireNonNullElse(one.heard(), Map.of());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** In its length, right behind it, in the message. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 9})
    void whoEndsInTheMiddleIsNotWaitedFor(int bytes) throws IOException {
        raw(Arrays.copyOf(message("{\"a\":1}"), bytes));

        assertThat(one.receive(LONG)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 9})
    void whoEndsInTheMiddleHasEnded(int bytes) throws IOException {
        raw(Arrays.copyOf(message("{\"a\":1}"), bytes));

        assertThatThrownBy(() -> Await.value("heard", this::heardOrThrown, e -> e != null))
                .rootCause()
                .isInstanceOf(EOFException.class);
    }

    private @Nullable Object heardOrThrown() {
        try {
            return one.heard();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, (64 << 20) + 1})
    void oneThatClaimsToBeTooLongIsRefused(int bytes) throws IOException {
        raw(ByteBuffer.allocate(4).putInt(bytes).array());

        assertThatThrownBy(() -> one.receive(LONG))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a message of " + bytes + " bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{", "{}{", "1", "null", "{\"a\":1,\"a\":2}", "\u0000\u0001"})
    void whatIsNoMessageIsRefused(String json) throws IOException {
        raw(message(json));

        assertThatThrownBy(() -> one.receive(LONG)).isInstanceOf(IOException.class);
    }

    @Test
    void nobodyIsConnectedTo() {
        assertThatThrownBy(() -> Line.connect(dir.resolve("nobody"))).isInstanceOf(IOException.class);
    }

    /** Its name is still there, as where a process was killed; the next one takes it. */
    @Test
    void whoHasEndedIsNotConnectedTo() throws IOException {
        Path left = dir.resolve("left");
        Socket server = Socket.newSocketDomain();
        server.bind(new DomainSocketAddress(left.toString()));
        server.listen(1);
        server.close();
        assertThat(left).exists();

        assertThatThrownBy(() -> Line.connect(left)).isInstanceOf(IOException.class);
        Line.listen(left).close();
        assertThat(left).doesNotExist();
    }

    @Test
    void aNameThatIsTooLongIsRefused() {
        Path name = dir.resolve("a".repeat(120));

        assertThatThrownBy(() -> Line.listen(name).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("aaa");
    }

    private static byte[] message(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(4 + bytes.length)
                .putInt(bytes.length)
                .put(bytes)
                .array();
    }

    /** The other one says these bytes, and ends. */
    private void raw(byte[] bytes) throws IOException {
        one.close();
        Socket socket = Socket.newSocketDomain();
        socket.connect(new DomainSocketAddress(path.toString()));
        other.close();
        // The first connection is taken already.
        one = Objects.requireNonNull(waiting.accept(LONG, () -> false));
        ByteBuffer direct = ByteBuffer.allocateDirect(Math.max(1, bytes.length)).put(bytes);
        assertThat(bytes.length == 0 ? 0 : socket.send(direct, 0, bytes.length)).isEqualTo(bytes.length);
        socket.close();
    }

    private interface Step {
        void run() throws IOException;
    }

    private static CompletableFuture<Void> aside(Step step) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        step.run();
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }
}
