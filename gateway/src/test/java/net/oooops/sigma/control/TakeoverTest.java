package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.listen.RawDescriptors;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A gateway begins with sockets that listen already. */
@ParameterizedClass
@EnumSource(
        value = Transport.class,
        names = {"EPOLL", "IO_URING"})
@Timeout(60)
class TakeoverTest extends ListeningFixture {
    private static final int CONNECTIONS = 60;

    private final List<Integer> own = new ArrayList<>();

    TakeoverTest(Transport transport) {
        super(transport);
    }

    @AfterEach
    void closeSockets() {
        own.forEach(RawDescriptors::close);
    }

    private ObjectNode sigma(int port) {
        return sigma("127.0.0.1", port);
    }

    private static int[] listening(int count, boolean shared) throws IOException {
        int[] all = new int[count];
        all[0] = RawDescriptors.tcp("127.0.0.1", 0, shared);
        for (int i = 1; i < count; i++) {
            all[i] = RawDescriptors.tcp("127.0.0.1", RawDescriptors.port(all[0]), shared);
        }
        return all;
    }

    private static List<String> socketsOf(int... descriptors) {
        List<String> all = new ArrayList<>();
        for (int each : descriptors) {
            all.add(RawDescriptors.socketOf(each));
        }
        return all;
    }

    private static void assertGone(List<String> sockets) throws IOException {
        assertThat(sockets).isNotEmpty().doesNotContain("");
        for (String each : sockets) {
            assertThat(RawDescriptors.isGone(each)).as(each).isTrue();
        }
    }

    /** The kernel shares connections out among all sockets: each of them is accepted from. */
    @ParameterizedTest
    @CsvSource({"1, 1, true", "1, 3, true", "3, 3, true", "5, 2, true", "1, 1, false", "1, 3, false"})
    void itServesByThem(int sockets, int workers, boolean shared) throws Exception {
        int[] passed = listening(sockets, shared);
        int port = RawDescriptors.port(passed[0]);
        List<String> those = socketsOf(passed);
        try (Taking gateway = Taking.start(sigma(port), workers, Taking.of(passed))) {
            assertThat(gateway.port()).isEqualTo(port);
            for (int i = 0; i < CONNECTIONS; i++) {
                assertThat(Taking.get(port).bodyText()).isEqualTo("hello");
            }
            gateway.awaitAnswered(CONNECTIONS);
        }
        assertGone(those);
    }

    /** One that has come before it began is served, too. */
    @Test
    void whoHasWaitedIsAnswered() throws Exception {
        int passed = RawDescriptors.tcp("127.0.0.1", 0, false);
        int port = RawDescriptors.port(passed);
        try (RawClient early = RawClient.connect(port);
                Taking gateway = Taking.start(sigma(port), 2, Taking.of(passed))) {
            assertThat(Taking.get(early).bodyText()).isEqualTo("hello");
            assertThat(gateway.get().bodyText()).isEqualTo("hello");
        }
    }

    /** Calls of systemd's sockets wait, unless its configuration says otherwise. */
    @Test
    void itDoesNotWaitInTheirCalls() throws Exception {
        int passed = RawDescriptors.blocking(RawDescriptors.tcp("127.0.0.1", 0, false));
        try (Taking gateway = Taking.start(sigma(RawDescriptors.port(passed)), 1, Taking.of(passed));
                RawClient client = RawClient.connect(gateway.port())) {
            for (int i = 0; i < 5; i++) {
                assertThat(Taking.get(client).bodyText()).isEqualTo("hello");
                assertThat(gateway.get().bodyText()).isEqualTo("hello");
            }
        }
    }

    @Test
    void theListenerOfAFreePortGoesOnWithTheOneThatItHad() throws Exception {
        int passed = RawDescriptors.tcp("127.0.0.1", 0, true);
        int port = RawDescriptors.port(passed);
        try (Taking gateway = Taking.start(sigma(0), 2, Taking.from("a", passed))) {
            assertThat(gateway.port()).isEqualTo(port);
            assertThat(gateway.get().bodyText()).isEqualTo("hello");
        }
    }

    @Test
    void whatNoListenerWantsIsClosed() throws Exception {
        int wanted = RawDescriptors.tcp("127.0.0.1", 0, true);
        int port = RawDescriptors.port(wanted);
        int[] unwanted = {
            RawDescriptors.tcp("127.0.0.1", 0, true),
            RawDescriptors.udp("127.0.0.1", port, true),
            RawDescriptors.udp("127.0.0.1", 0, false)
        };
        int other = RawDescriptors.port(unwanted[0]);
        List<String> those = socketsOf(unwanted);
        try (Taking gateway = Taking.start(sigma(port), 2, Taking.of(wanted, unwanted[0], unwanted[1], unwanted[2]))) {
            assertGone(those);
            assertThatThrownBy(() -> RawClient.connect(other)).isInstanceOf(ConnectException.class);
            assertThat(gateway.get().bodyText()).isEqualTo("hello");
        }
    }

    @Test
    void whereItCannotBeginAllAreClosed() throws Exception {
        int passed = RawDescriptors.tcp("127.0.0.1", 0, true);
        int another = RawDescriptors.tcp("127.0.0.1", 0, true);
        List<String> those = socketsOf(passed, another);
        ObjectNode sigma =
                Taking.sigma(transport, node.port(), Map.of("a", RawDescriptors.port(passed), "b", node.port()));

        assertThatThrownBy(() -> Taking.start(sigma, 2, Taking.of(passed, another)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("can't listen on 127.0.0.1:" + node.port());

        assertGone(those);
    }

    @Test
    void whereItMayNotBeginAllAreClosedAndNothingWasAccepted() throws Exception {
        int passed = RawDescriptors.tcp("127.0.0.1", 0, true);
        own.add(RawDescriptors.same(passed));
        List<PassedSocket> sockets = Taking.of(passed).sockets();
        int port = RawDescriptors.port(passed);
        try (RawClient early = RawClient.connect(port)) {
            assertThatThrownBy(() -> Taking.start(sigma(port), 2, new Refusing(sockets)))
                    .isInstanceOf(StartException.class)
                    .hasMessage("no");
            try (Taking gateway = Taking.start(sigma(port), 1, Taking.of(own.removeFirst()))) {
                assertThat(Taking.get(early).bodyText()).isEqualTo("hello");
                gateway.awaitAnswered(1);
            }
        }
        assertThat(node.requestCount()).isEqualTo(1);
    }

    private record Refusing(List<PassedSocket> sockets) implements Takeover {
        @Override
        public void take(Gateway gateway, Proof proof) throws StartException {
            proof.prove();
            throw new StartException("no", new IllegalStateException("no"));
        }
    }

    /** The process before may have them until it ends, and who connects would wait for nobody. */
    @Test
    void aListenerOfAGatewayThatIsRemovedEndsForAll() throws Exception {
        int passed = RawDescriptors.tcp("127.0.0.1", 0, true);
        own.add(RawDescriptors.same(passed));
        int port = RawDescriptors.port(passed);
        try (Taking gateway = Taking.start(sigma(port), 2, Taking.from("a", passed))) {
            assertThat(gateway.get().bodyText()).isEqualTo("hello");

            gateway.reload(Taking.sigma(transport, node.port(), Map.of("b", 0)));

            assertThat(gateway.get().bodyText()).isEqualTo("hello");
            Await.until("refused", () -> isRefused(port));
        }
    }

    /** systemd goes on listening, and may start it again. */
    @Test
    void anotherOneThatIsRemovedGoesOnElsewhere() throws Exception {
        int passed = RawDescriptors.tcp("127.0.0.1", 0, true);
        own.add(RawDescriptors.same(passed));
        int port = RawDescriptors.port(passed);
        try (Taking gateway = Taking.start(sigma(port), 1, Taking.of(passed))) {
            gateway.reload(Taking.sigma(transport, node.port(), Map.of("b", 0)));

            assertThat(gateway.get().bodyText()).isEqualTo("hello");
            assertThat(isRefused(port)).isFalse();
        }
    }

    private static boolean isRefused(int port) {
        try (RawClient client = RawClient.connect(port)) {
            return client.socket().isClosed();
        } catch (IOException e) {
            return true;
        }
    }

    /** What isn't removed stays, whatever else of it changes. */
    @Test
    void aReloadLeavesThem() throws Exception {
        int[] passed = listening(2, true);
        int port = RawDescriptors.port(passed[0]);
        List<String> those = socketsOf(passed);
        try (Taking gateway = Taking.start(sigma(port), 2, Taking.of(passed));
                RawClient client = RawClient.connect(port)) {
            assertThat(Taking.get(client).bodyText()).isEqualTo("hello");
            for (int i = 0; i < 5; i++) {
                gateway.reload(Taking.sigma(transport, node.port(), Map.of("a" + i, port)));
                assertThat(gateway.get().bodyText()).isEqualTo("hello");
            }
            for (String each : those) {
                assertThat(RawDescriptors.isGone(each)).as(each).isFalse();
            }
        }
        assertGone(those);
    }

    @Test
    void nioTakesNothingOver() throws Exception {
        int passed = RawDescriptors.tcp("127.0.0.1", 0, true);
        int port = RawDescriptors.port(passed);
        List<String> those = socketsOf(passed);

        assertThatThrownBy(() ->
                        Taking.start(Taking.sigma(Transport.NIO, node.port(), Map.of("a", port)), 1, Taking.of(passed)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("runtime.transport: nio (expected: epoll or io_uring");

        assertGone(those);
    }
}
