package net.oooops.sigma;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class GatewayFixtureTest {
    @Test
    void whatDoesNotStartSaysWhy() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            GatewayBuilder builder = GatewayFixture.toPorts(1).port(other.getLocalPort());

            assertThatThrownBy(builder::start)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("the gateway doesn't start: ")
                    .hasMessageContaining("can't listen on 127.0.0.1:" + other.getLocalPort());
        }
    }
}
