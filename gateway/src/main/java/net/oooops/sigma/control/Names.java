package net.oooops.sigma.control;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.upstream.NodeRegistry;

/**
 * Asks name servers for the whole process, on an event loop of its own with Java's own sockets: thousands of addresses in an answer hold
 * nobody else up. Its thread begins with the first question.
 *
 * <p>Any thread; {@link #close} blocks.
 */
final class Names {
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("sigma-names", true), NioIoHandler.newFactory());
    private final NameAsker asker;

    /**
     * Asks nobody yet.
     *
     * @param nodes know which answers there are, and which names have none
     * @throws IllegalStateException where the system has no event loop for it
     */
    Names(NameResolution.Settings settings, NodeRegistry nodes) {
        this.asker = new NameAsker(loops.next(), NameResolution.Sockets.NIO, settings, nodes.names(), nodes.answers());
    }

    NameAsker asker() {
        return asker;
    }

    /** Ends it; waits for that. */
    void close(Duration limit) {
        asker.close();
        loops.shutdownGracefully(0, limit.toMillis(), TimeUnit.MILLISECONDS).awaitUninterruptibly(limit.toMillis());
    }
}
