package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import org.junit.jupiter.api.Test;

class WorkersTest {
    private static final String SIGMA = """
        {
          "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
          "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
          "proxy-pass": [{"id": "p", "upstream-id": "u"}],
          "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1"]}]
        }
        """;

    /** What a reload has left behind is retired on a thread of its own, and the gateway may be stopped meanwhile. */
    @Test
    void nothingIsLeftOfAnUpstreamWhereTheWorkersHaveEnded() throws Exception {
        PluginCatalog plugins = new PluginCatalog(WorkersTest.class.getClassLoader());
        ConfigResult read = new ConfigReader(plugins.schemas(), plugins::tryOut)
                .read(SIGMA.getBytes(StandardCharsets.US_ASCII), Path.of("").toAbsolutePath());
        SigmaConfig config = ((ConfigResult.Valid) read).config();
        Snapshot snapshot = SnapshotCompiler.compile(config, plugins);
        snapshot.start();
        snapshot.take();
        SocketTransport transport = SocketTransport.choose(RuntimeConfig.Transport.NIO);
        Vertx vertx = Vertx.builder().withTransport(transport.transport()).build();
        NodeLoops loops = new NodeLoops(config.runtime().threadModel(), vertx, transport, 1);
        AccessLogs logs = AccessLogs.open(config.accessLog(), 1);
        Names names = new Names(NameResolution.Settings.of(config.runtime().dns(), 0), snapshot.nodes());
        Workers workers = new Workers(1, transport, loops, logs, names.asker());
        workers.deploy(vertx, snapshot, new Generation(1, 1, () -> {}));
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        try {
            assertThatCode(() -> workers.retire(snapshot.nodes().all().getFirst()))
                    .doesNotThrowAnyException();
        } finally {
            names.close(Duration.ofSeconds(30));
            loops.close(Duration.ofSeconds(30));
            logs.close();
            snapshot.close();
        }
    }
}
