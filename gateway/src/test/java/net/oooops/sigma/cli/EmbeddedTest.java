package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.NodeConfig;
import org.junit.jupiter.api.Test;

class EmbeddedTest {
    @Test
    void theEmbeddedConfigurationIsValid() throws Exception {
        Setup setup = Setup.read(Embedded.NAME, Embedded.usual().json(), PluginsFolder.catalog(null, null));
        setup.snapshot().close();

        assertThat(setup.warnings()).isEmpty();
        assertThat(setup.config().listeners()).extracting(ListenerConfig::port).containsExactly(8080);
        assertThat(setup.config().upstreams().getFirst().nodes())
                .containsExactly(new NodeConfig("127.0.0.1", 8888, NodeConfig.WEIGHT_DEFAULT));
    }

    @Test
    void itsPortsAreThoseThatWereChosen() throws Exception {
        Setup setup = Setup.read(
                Embedded.NAME, new Embedded("127.0.0.3", 4711, 4712).json(), PluginsFolder.catalog(null, null));
        setup.snapshot().close();

        assertThat(setup.config().listeners()).extracting(ListenerConfig::host).containsExactly("127.0.0.3");
        assertThat(setup.config().listeners()).extracting(ListenerConfig::port).containsExactly(4711);
        assertThat(setup.config().upstreams().getFirst().nodes())
                .extracting(NodeConfig::port)
                .containsExactly(4712);
    }

    @Test
    void aTakenPortIsReplacedByAFreeOne() throws IOException {
        try (ServerSocket _ = takeOrFindTaken(Embedded.PORT)) {
            assertThat(Embedded.choose().port()).isNotEqualTo(Embedded.PORT).isPositive();
        }
    }

    private static ServerSocket takeOrFindTaken(int port) throws IOException {
        try {
            return new ServerSocket(port);
        } catch (BindException _) {
            return new ServerSocket();
        }
    }
}
