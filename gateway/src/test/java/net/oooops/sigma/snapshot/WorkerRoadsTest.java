package net.oooops.sigma.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.DefaultEventLoop;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.LoopParts;
import net.oooops.sigma.runtime.Worker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How the roads of a Worker come to follow another plan. */
class WorkerRoadsTest {
    private static final String SIGMA = """
            {
              "proxy-server": {
                "http": {"id": "h", "host": "127.0.0.1", "port": 0},
                "tcp": [{"id": "%s", "host": "127.0.0.1", "port": 0, "proxy-pass-id": "t"}]
              },
              "router": [{"id": "r", "proxy-server-id": "h", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
              "proxy-pass": [{"id": "p", "upstream-id": "u"}, {"id": "t", "upstream-id": "v"}],
              "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1"]}, {"id": "v", "nodes": ["tcp://127.0.0.1:1"]}]
            }
            """;

    private final PluginCatalog plugins = new PluginCatalog(WorkerRoadsTest.class.getClassLoader());
    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final List<WorkerRoads> roads = new ArrayList<>();

    @AfterEach
    void end() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private SigmaConfig config(String tcpId) throws Exception {
        ConfigResult read = new ConfigReader(plugins.schemas(), plugins::tryOut)
                .read(
                        SIGMA.formatted(tcpId).getBytes(StandardCharsets.US_ASCII),
                        Path.of("").toAbsolutePath());
        if (read instanceof ConfigResult.Valid valid) {
            return valid.config();
        }
        throw new AssertionError(((ConfigResult.Invalid) read).text(SIGMA));
    }

    private Worker worker(Snapshot snapshot) {
        LoopContext.Parts parts = LoopParts.of(
                loop, snapshot.nodes(), new WorkerCounters(RefusalNames.NONE), new Generation(1, 1, () -> {}));
        Roads made = new Roads(snapshot.config().runtime().memory(), 1);
        return new Worker(parts, context -> {
            roads.add(made.on(context, snapshot.plan(), null));
            return roads.getFirst().all();
        });
    }

    @Test
    @SuppressWarnings("NullAway") // a fault of Sigma's own
    void aRoadThatThrowsKeepsNoOtherFromFollowing() throws Exception {
        Snapshot first = SnapshotCompiler.compile(config("before"), plugins);
        first.start();
        first.take();
        Worker worker = worker(first);
        Snapshot next = SnapshotCompiler.compile(config("after"), plugins, first);
        next.start();
        next.take();
        GatewayPlan plan = next.plan();
        GatewayPlan broken = new GatewayPlan(null, plan.tcp(), plan.udp(), plan.bolt());
        assertThatThrownBy(
                        () -> CompletableFuture.runAsync(() -> roads.getFirst().follow(broken), loop)
                                .join())
                .hasMessageContaining("a road doesn't follow")
                .hasRootCauseInstanceOf(NullPointerException.class);
        assertThat(worker.flow("after")).isNotNull();
        assertThat(worker.flow("before")).isNull();
        assertThat(worker.flow("h")).as("the other one goes on").isNotNull();
        first.close();
        next.close();
    }
}
