package net.oooops.sigma.runtime;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.DnsConfig;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.NodeRegistry;

/** What a Worker is made from that is the only one, on an event loop of a test's, with Java's own sockets. */
public final class LoopParts {
    private static final long ABSENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private LoopParts() {}

    /** With those nodes and counters; the configuration that is followed at first is {@code first}. */
    public static LoopContext.Parts of(
            SingleThreadEventLoop loop, NodeRegistry nodes, WorkerCounters counters, Generation first) {
        return of(loop, nodes, counters, first, asker(loop, nodes));
    }

    /** The same, and names are asked for by that one. */
    static LoopContext.Parts of(
            SingleThreadEventLoop loop,
            NodeRegistry nodes,
            WorkerCounters counters,
            Generation first,
            NameAsker asker) {
        Bootstrap bootstrap = new Bootstrap().group(loop).channel(NioSocketChannel.class);
        return new LoopContext.Parts(
                0,
                1,
                new NodeConnector.Means(loop, bootstrap, new NameResolution(loop, asker)),
                counters,
                null,
                new LoopContext.Shared(nodes, ClientConfig.DEFAULT, 1 << 20, new BlockingCalls()),
                first);
    }

    /** Who asks for the names of those nodes. */
    static NameAsker asker(SingleThreadEventLoop loop, NodeRegistry nodes) {
        return new NameAsker(
                loop,
                NameResolution.Sockets.NIO,
                NameResolution.Settings.of(DnsConfig.DEFAULT, ABSENT_NANOS),
                nodes.names(),
                nodes.answers());
    }

    /** What roads are given of that, where nothing ever waits. */
    static LoopContext context(LoopContext.Parts parts) {
        return new LoopContext(parts, () -> 0, () -> {});
    }
}
