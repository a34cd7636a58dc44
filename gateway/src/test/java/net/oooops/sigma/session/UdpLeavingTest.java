package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A session of UDP whose client goes on sending leaves a node that is out or gone; on each transport that works on this machine. */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
class UdpLeavingTest {
    private final Transport transport;
    private final RawUdp first = RawUdp.open();
    private final RawUdp second = RawUdp.open();
    private final RawUdp client = RawUdp.open();

    UdpLeavingTest(Transport transport) throws IOException {
        this.transport = transport;
    }

    @AfterEach
    void close() {
        client.close();
        first.close();
        second.close();
    }

    private UdpFixture.Builder toBoth() {
        return UdpFixture.on(transport, first, second).upstream("health", Map.of("passive", Map.of("enable", false)));
    }

    /** Begins the session, and gives the node that it has. */
    private RawUdp begin(UdpFixture gateway) throws IOException {
        client.send("begin", gateway.address());
        return Await.value("the session's node", this::begun, Optional::isPresent)
                .orElseThrow();
    }

    private Optional<RawUdp> begun() {
        try {
            if (first.receiveWithin(20).equals("begin")) {
                return Optional.of(first);
            }
            return second.receiveWithin(20).equals("begin") ? Optional.of(second) : Optional.empty();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private RawUdp other(RawUdp node) {
        return node == first ? second : first;
    }

    private static void steer(UdpFixture gateway, RawUdp node, UnaryOperator<Steering> change) {
        Upstream upstream = gateway.gateway().upstreams().getFirst();
        assertThat(upstream.steer("127.0.0.1:" + node.port(), change, System.nanoTime()))
                .isTrue();
    }

    /** Sends on until the node gets it. */
    private void sendUntil(UdpFixture gateway, RawUdp node) {
        Await.until("the session has left", () -> {
            try {
                client.send("on", gateway.address());
                return node.receiveWithin(20).equals("on");
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    private void assertStays(UdpFixture gateway, RawUdp node) throws IOException {
        for (int i = 0; i < 20; i++) {
            client.send("stays", gateway.address());
            node.expect("stays");
            assertThat(other(node).receiveWithin(20)).isEmpty();
        }
    }

    @Test
    void aNodeThatIsOutIsLeftAndNotComeBackTo() throws Exception {
        try (UdpFixture gateway = toBoth().start()) {
            RawUdp node = begin(gateway);
            steer(gateway, node, said -> said.withUse(Steering.Use.EJECTED));
            sendUntil(gateway, other(node));
            while (!node.receiveWithin(20).isEmpty()) {
                // What was sent before.
            }
            steer(gateway, node, said -> Steering.NONE);
            assertStays(gateway, other(node));
            // An answer comes by the same way.
            client.send("ask", gateway.address());
            other(node).send("answer", other(node).expect("ask"));
            client.expect("answer");
            assertThat(gateway.count(Counter.SESSIONS_IN_FLIGHT)).isOne();
            assertThat(gateway.count(Counter.SESSIONS_COMPLETE)).isZero();
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isZero();
            gateway.awaitCount(Counter.UPSTREAM_DATAGRAMS_DROPPED, 0);
        }
    }

    @Test
    void whereNoOtherIsWellASessionStays() throws Exception {
        try (UdpFixture gateway = toBoth().start()) {
            RawUdp node = begin(gateway);
            steer(gateway, other(node), said -> said.withUse(Steering.Use.DRAINED));
            steer(gateway, node, said -> said.withUse(Steering.Use.EJECTED));
            assertStays(gateway, node);
        }
    }

    @Test
    void aNodeThatIsDrainedKeepsItsSessions() throws Exception {
        try (UdpFixture gateway = toBoth().start()) {
            RawUdp node = begin(gateway);
            steer(gateway, node, said -> said.withUse(Steering.Use.DRAINED));
            assertStays(gateway, node);
        }
    }

    @Test
    void aNodeThatIsGoneIsLeft() throws Exception {
        try (UdpFixture gateway = toBoth().start()) {
            RawUdp node = begin(gateway);
            gateway.reload(UdpFixture.on(transport, other(node))
                    .server("port", 0)
                    .upstream("health", Map.of("passive", Map.of("enable", false))));
            sendUntil(gateway, other(node));
            assertThat(gateway.count(Counter.SESSIONS_IN_FLIGHT)).isOne();
        }
    }
}
