package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Plugins of a TCP server and of its proxy-pass see each session before it gets a node. */
class SessionPluginsTest {
    private final RawServer node = RawServer.start();

    @AfterEach
    void stop() {
        node.close();
    }

    private static ClientOptions from(String address) {
        return ClientOptions.defaults().withLocalHost(address);
    }

    private void passes(TcpFixture gateway, String address) throws Exception {
        try (RawClient client = gateway.connect(from(address));
                RawClient server = node.accept()) {
            client.send("x");
            assertThat(server.readExactly(1)).hasSize(1);
        }
    }

    @Test
    void whoIsNotAllowedIsResetAndNoNodeHearsOfIt() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                .server("plugin", Map.of("ip-restriction", Map.of("deny", List.of("127.0.0.3"))))
                .pass("plugin", Map.of("ip-restriction", Map.of("allow", List.of("127.0.0.2/31"))))
                .start()) {
            passes(gateway, "127.0.0.2");
            gateway.expectRefused(from("127.0.0.3"));
            gateway.expectRefused(from("127.0.0.4"));
            gateway.awaitFaults(Fault.SESSION_REFUSED, 2);
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 1);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @Test
    void oneInShadowRefusesNobodyAndIsCounted() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                .server("plugin", Map.of("ip-restriction", Map.of("deny", List.of("127.0.0.3"), "mode", "shadow")))
                .start()) {
            passes(gateway, "127.0.0.2");
            passes(gateway, "127.0.0.3");
            gateway.awaitFaults(Fault.SESSION_REFUSED, 0);
            assertThat(gateway.counters().shadows())
                    .containsExactly(new Counters.Shadow("ip-restriction", "refusal", 0, "", 1));
        }
    }

    @Test
    void theClientIsWhoTheTrustedProxySays() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                        .server("proxy-protocol", true)
                        .server("trusted-proxies", List.of("127.0.0.1"))
                        .server("plugin", Map.of("ip-restriction", Map.of("allow", List.of("203.0.113.0/24"))))
                        .start();
                RawClient allowed = gateway.connect();
                RawClient refused = gateway.connect()) {
            refused.send("PROXY TCP4 198.51.100.7 10.0.0.1 4000 443\r\n");
            refused.expectReset();
            allowed.send("PROXY TCP4 203.0.113.7 10.0.0.1 4000 443\r\nx");
            try (RawClient server = node.accept()) {
                assertThat(server.readExactly(1)).hasSize(1);
            }
            gateway.awaitFaults(Fault.SESSION_REFUSED, 1);
        }
    }

    @Test
    void whoConnectsTooOftenIsResetAndOthersAreNot() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                .workers(2)
                .server("plugin", Map.of("connection-rate", Map.of("connections", 2, "per", "1h")))
                .start()) {
            passes(gateway, "127.0.0.2");
            passes(gateway, "127.0.0.2");
            gateway.expectRefused(from("127.0.0.2"));
            passes(gateway, "127.0.0.3");
            gateway.awaitFaults(Fault.SESSION_REFUSED, 1);
        }
    }
}
