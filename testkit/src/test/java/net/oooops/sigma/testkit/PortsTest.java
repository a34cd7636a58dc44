package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void freePortsCanBeBoundAndAreDistinct() throws IOException {
        int[] ports = FreePorts.several(20);

        assertThat(Arrays.stream(ports).distinct()).hasSize(20);
        try (var socket = new ServerSocket(FreePorts.one(), 1, InetAddress.getLoopbackAddress())) {
            assertThat(socket.isBound()).isTrue();
        }
    }

    @Test
    void refusedPortRefuses() {
        try (PortHold hold = ScriptedUpstream.refusedPort()) {
            assertThatThrownBy(() -> RawClient.connect(hold.port()))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("refused");
        }
    }

    @Test
    void fullBacklogPortLetsConnectTimeOut() {
        var options = ClientOptions.defaults().withDeadline(Duration.ofMillis(300));
        try (PortHold hold = ScriptedUpstream.fullBacklogPort()) {
            assertThatThrownBy(() -> RawClient.connect(hold.port(), options))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }
}
