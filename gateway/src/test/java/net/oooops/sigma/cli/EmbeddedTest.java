package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.NodeConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

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
                Embedded.NAME, new Embedded("127.0.0.3", 4711, 4712, null).json(), PluginsFolder.catalog(null, null));
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

    @Test
    void itIsWrittenWhereItIsToBeReadAgain(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("train.json");
        Embedded written = new Embedded("127.0.0.3", 4711, 4712, file);

        assertThat(written.write()).containsExactly(file);
        assertThat(Files.readAllBytes(file)).isEqualTo(written.json());
        assertThat(Embedded.usual().write()).isEmpty();
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void whatItAsksTheGatewayThatRunsWithItIsAnswered(@TempDir Path folder) throws Exception {
        Embedded written = new Embedded("127.0.0.1", 0, 4712, folder.resolve("train.json"));
        Path runDir = folder.resolve("run");
        try (Running _ = Running.start(
                new RunWords(RunWords.VERTICLE, written.write(), null, 1, runDir, false, FirstWords.NONE))) {
            Shell shell = new Shell();
            written.ask(runDir, shell.console());
            assertThat(shell.err()).isEmpty();
            assertThat(shell.out()).isEmpty();
        }
        Shell shell = new Shell();
        written.ask(runDir, shell.console());
        assertThat(shell.err()).contains("no gateway is running");
    }

    @Test
    void aFileThatCanNotBeWrittenIsSaid(@TempDir Path folder) {
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> new Embedded("127.0.0.3", 4711, 4712, folder).write())
                .satisfies(e -> assertThat(e.text()).contains(folder + ": can't be written"));
    }

    private static ServerSocket takeOrFindTaken(int port) throws IOException {
        try {
            return new ServerSocket(port);
        } catch (BindException _) {
            return new ServerSocket();
        }
    }
}
