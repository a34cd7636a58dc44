package net.oooops.sigma.control.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.control.Takeover;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.listen.RawDescriptors;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets that systemd has bound. */
@Isolated("looks at what is logged")
class SystemdSocketsTest {
    private static final long PID = ProcessHandle.current().pid();

    @BeforeEach
    void need() {
        Needed.transport(Transport.EPOLL);
    }

    private static Takeover passed(Map<String, String> environment, int first) {
        return SystemdSockets.of(environment::get, PID, first);
    }

    private static Map<String, String> environment(String pid, String count) {
        return new HashMap<>(Map.of("LISTEN_PID", pid, "LISTEN_FDS", count));
    }

    @Test
    void whatIsForAnotherProcessIsIgnored() {
        for (String pid : List.of(String.valueOf(PID + 1), "", "self", "0" + PID, "-" + PID)) {
            assertThat(passed(environment(pid, "1"), 3)).as(pid).isSameAs(Takeover.NONE);
        }
        assertThat(passed(Map.of("LISTEN_FDS", "1"), 3)).isSameAs(Takeover.NONE);
        assertThat(passed(Map.of("LISTEN_PID", String.valueOf(PID)), 3)).isSameAs(Takeover.NONE);
        assertThat(SystemdSockets.of(Map.<String, String>of()::get)).isSameAs(Takeover.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "one", "1.5", " 1", "99999", "99999999999999999999"})
    void aNumberThatIsNoneIsIgnored(String count) {
        assertThat(passed(environment(String.valueOf(PID), count), 3)).isSameAs(Takeover.NONE);
    }

    @Test
    void allAreFoundAndWhatIsNoneIsAWarning() throws IOException {
        int first = row();
        int file = first + 2;
        try (LoggedLines log = new LoggedLines(SystemdSockets.class)) {
            List<PassedSocket> sockets =
                    passed(environment(String.valueOf(PID), "3"), first).sockets();

            assertThat(sockets).extracting(PassedSocket::descriptor).containsExactly(first, first + 1);
            assertThat(sockets).extracting(PassedSocket::datagrams).containsExactly(false, true);
            assertThat(sockets).noneMatch(PassedSocket::isOfGateway);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN a socket that systemd has passed isn't taken over: descriptor " + file + ": ");
            sockets.forEach(PassedSocket::close);
        }
    }

    /** Of TCP and UDP, one after the other; behind them is none. */
    private static int row() throws IOException {
        List<Integer> others = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                int one = RawDescriptors.tcp("127.0.0.1", 0, false);
                int next = RawDescriptors.udp("127.0.0.1", 0, false);
                if (next == one + 1 && !Files.exists(Path.of("/proc/self/fd/" + (next + 1)))) {
                    return one;
                }
                // Numbers that are free further down stay taken until there is a row.
                others.addAll(List.of(one, next));
            }
            throw new AssertionError("no row of descriptors");
        } finally {
            others.forEach(RawDescriptors::close);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"EPOLL", "IO_URING"})
    void aGatewayServesByThem(Transport transport) throws IOException, StartException {
        Needed.transport(transport);
        int descriptor = RawDescriptors.blocking(RawDescriptors.tcp("127.0.0.1", 0, false));
        int port = RawDescriptors.port(descriptor);
        Takeover before = passed(environment(String.valueOf(PID), "1"), descriptor);
        PluginCatalog plugins = new PluginCatalog(getClass().getClassLoader());
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"))) {
            Gateway gateway = Gateway.start(
                    SnapshotCompiler.compile(
                            GatewayFixture.to(node)
                                    .transport(transport)
                                    .port(port)
                                    .config(),
                            plugins),
                    2,
                    new VertxOptions(),
                    before);
            try (RawClient client = RawClient.connect(port)) {
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("hello");
                assertThat(gateway.addresses().getFirst().getPort()).isEqualTo(port);
            } finally {
                gateway.stop(Duration.ZERO);
            }
        }
    }
}
