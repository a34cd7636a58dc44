package net.oooops.sigma.control.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What systemd is told. */
@Isolated("looks at what is logged")
class SystemdTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    @BeforeEach
    void need() {
        Needed.transport(Transport.EPOLL);
    }

    private static Systemd at(String name) {
        return Systemd.of(Map.of("NOTIFY_SOCKET", name)::get);
    }

    /** What is told comes there. */
    private record Listening(Socket socket) implements AutoCloseable {
        static Listening at(String path) throws IOException {
            Socket socket = Socket.newSocketDomainDgram();
            socket.bind(new DomainSocketAddress(path));
            return new Listening(socket);
        }

        String next() {
            return Await.value("told", this::received, text -> !text.isEmpty());
        }

        private String received() {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1000);
            try {
                int bytes = Math.max(0, socket.recv(buffer, 0, buffer.capacity()));
                byte[] text = new byte[bytes];
                buffer.clear().get(text);
                return new String(text, StandardCharsets.US_ASCII);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void eachIsADatagram() throws IOException {
        Path path = dir.resolve("notify");
        try (Listening systemd = Listening.at(path.toString())) {
            assertTold(at(path.toString()), systemd);
        }
    }

    /** A name that isn't one of the file system: the kernel compares all its bytes, and has it from systemd without an end. */
    @Test
    void theNameMayBeAbstract() throws IOException {
        String name = "sigma/" + UUID.randomUUID();
        try (Listening systemd = Listening.at("\0" + name)) {
            assertThat(Files.readAllLines(Path.of("/proc/net/unix")))
                    .as("bound to just that name")
                    .anyMatch(line -> line.endsWith(" @" + name));

            assertTold(at("@" + name), systemd);
        }
    }

    private static void assertTold(Systemd told, Listening systemd) {
        told.ready();
        assertThat(systemd.next()).isEqualTo("READY=1");

        long before = micros();
        told.reloading();
        String reloading = systemd.next();
        assertThat(reloading).matches("RELOADING=1\nMONOTONIC_USEC=[0-9]+");
        assertThat(Long.parseLong(reloading.substring(reloading.lastIndexOf('=') + 1)))
                .isBetween(before, micros());

        told.mainProcess(4711);
        assertThat(systemd.next()).isEqualTo("MAINPID=4711");
        told.stopping();
        assertThat(systemd.next()).isEqualTo("STOPPING=1");
    }

    private static long micros() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    }

    /** systemd compares with CLOCK_MONOTONIC. */
    @Test
    void theTimeIsThatOfTheSystem() throws IOException {
        String uptime = Files.readString(Path.of("/proc/uptime"));
        double seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));

        assertThat(micros() / 1e6 - seconds)
                .as("not behind the time since the start")
                .isLessThan(5);
        assertThat(micros()).isPositive();
    }

    @Test
    void whereNobodyIsNamedNothingIsSaid() {
        try (LoggedLines log = new LoggedLines(Systemd.class)) {
            List<Systemd> silent =
                    List.of(Systemd.of(Map.<String, String>of()::get), at(""), at("relative"), at("vsock:2:1"));
            silent.forEach(SystemdTest::tellAll);

            assertThat(log.lines()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/no/such/folder/notify", "@sigma/nobody"})
    void whereNobodyListensItIsAWarning(String name) {
        try (LoggedLines log = new LoggedLines(Systemd.class)) {
            tellAll(at(name));

            assertThat(log.lines()).hasSize(4).allMatch(line -> line.startsWith("WARN systemd can't be told "));
        }
    }

    @Test
    void aNameThatIsTooLongIsAWarning() {
        try (LoggedLines log = new LoggedLines(Systemd.class)) {
            at("/" + "a".repeat(200)).ready();

            assertThat(log.lines()).singleElement().asString().startsWith("WARN systemd can't be told READY=1");
        }
    }

    /** It reads one after the other, in its time: what waits for that isn't lost. */
    @Test
    void whatItDoesNotReadAtOnceIsNotLost() throws IOException {
        Path path = dir.resolve("notify");
        try (Listening systemd = Listening.at(path.toString())) {
            Systemd told = at(path.toString());
            Thread telling = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 100; i++) {
                    told.mainProcess(i);
                }
            });
            for (int i = 0; i < 100; i++) {
                assertThat(systemd.next()).isEqualTo("MAINPID=" + i);
            }
            Await.until("all told", () -> !telling.isAlive());
        }
    }

    @Test
    void whoNeverReadsIsNotWaitedForLong() throws IOException {
        Path path = dir.resolve("notify");
        try (Listening _ = Listening.at(path.toString());
                LoggedLines log = new LoggedLines(Systemd.class)) {
            Systemd told = at(path.toString());
            long from = System.nanoTime();
            for (int i = 0; i < 5000 && log.lines().isEmpty(); i++) {
                told.mainProcess(i);
            }

            assertThat(log.lines()).singleElement().asString().contains("systemd can't be told MAINPID=");
            assertThat(System.nanoTime() - from).isLessThan(10_000_000_000L);
        }
    }

    private static void tellAll(Systemd told) {
        told.ready();
        told.reloading();
        told.mainProcess(1);
        told.stopping();
    }
}
