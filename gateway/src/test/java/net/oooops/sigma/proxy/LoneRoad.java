package net.oooops.sigma.proxy;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.DnsConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.runtime.BlockingCalls;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.NodeRegistry;
import org.jspecify.annotations.Nullable;

/** The road of HTTP on one event loop, without anything that listens: exchanges begin where a test says so. Called on that event loop, once it is made. */
final class LoneRoad {
    private final WorkerCounters counters = new WorkerCounters(RefusalNames.NONE);
    private final Snapshot snapshot;
    private final HttpListenerPlan listener;
    private final Worker worker;
    private @Nullable HttpRoad made;

    /** @param bootstrap how connections to nodes are made */
    LoneRoad(SingleThreadEventLoop loop, SigmaConfig config, Bootstrap bootstrap) throws Exception {
        snapshot = SnapshotCompiler.compile(config, new PluginCatalog(LoneRoad.class.getClassLoader()));
        HttpPlan plan = snapshot.plan().http();
        listener = plan.listeners().getFirst();
        NodeRegistry registry = snapshot.nodes();
        NameResolution names = new NameResolution(loop, asker(loop, registry));
        LoopContext.Parts parts = new LoopContext.Parts(
                0,
                1,
                new NodeConnector.Means(loop, bootstrap, names),
                counters,
                null,
                new LoopContext.Shared(registry, ClientConfig.DEFAULT, 1 << 20, new BlockingCalls()),
                new Generation(1, 1, () -> {}));
        worker = new Worker(parts, of -> roads(of, plan));
    }

    private static NameAsker asker(EventLoop loop, NodeRegistry registry) {
        return new NameAsker(
                loop,
                NameResolution.Sockets.NIO,
                NameResolution.Settings.of(DnsConfig.DEFAULT, 0),
                registry.names(),
                registry.answers());
    }

    private List<Road> roads(LoopContext of, HttpPlan plan) {
        HttpRoad road = new HttpRoad(of, plan, Identity.random(), new HeldMemory.Total(1, 1 << 20), 1 << 20);
        made = road;
        return List.of(road);
    }

    HttpRoad road() {
        return Objects.requireNonNull(made);
    }

    /** What its listener does, for {@link HttpProxy}. */
    HttpListenerPlan listener() {
        return listener;
    }

    /** Its deadlines pass from now on. Any thread. */
    void start() {
        worker.start();
    }

    /** What was counted until now. */
    Counters counted() {
        for (UpstreamGroup<HttpNode> each : road().upstreams().all()) {
            each.nodes().forEach(HttpNode::publish);
        }
        return new CountersView(List.of(counters)).snapshot();
    }

    void end() {
        road().upstreams().all().forEach(each -> each.nodes().forEach(WorkerNode::retire));
        snapshot.held().end().forEach(snapshot.nodes()::retire);
    }
}
