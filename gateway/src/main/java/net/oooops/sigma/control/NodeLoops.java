package net.oooops.sigma.control;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.RuntimeConfig.ThreadModel;
import net.oooops.sigma.listen.SocketTransport;
import org.jspecify.annotations.Nullable;

/** Which event loops drive the sockets to nodes: the thread model. Any thread; {@link #close} blocks. */
final class NodeLoops {
    /** Of no effect: Netty 4.2 doesn't share a loop's time out by it any more. */
    private static final int IO_RATIO = 50;

    private final ThreadModel model;
    private final Vertx vertx;
    private final @Nullable EventLoopGroup individual;

    /** Starts what the model needs. */
    NodeLoops(ThreadModel model, Vertx vertx, SocketTransport transport, int workerCount) {
        this.model = model;
        this.vertx = vertx;
        this.individual = model == ThreadModel.INDIVIDUAL_GROUP
                ? transport
                        .transport()
                        .implementation()
                        .eventLoopGroup(
                                Transport.IO_EVENT_LOOP_GROUP,
                                workerCount,
                                new DefaultThreadFactory("sigma-upstream-eventloop"),
                                IO_RATIO)
                : null;
    }

    /** Those of a Worker's connections to nodes. */
    EventLoopGroup of(EventLoop worker) {
        if (individual != null) {
            return individual;
        }
        return model == ThreadModel.REUSE_SERVER_GROUP ? ((VertxInternal) vertx).nettyEventLoopGroup() : worker;
    }

    /** Ends those that are not Vert.x's. */
    void close(Duration limit) {
        if (individual != null) {
            individual
                    .shutdownGracefully(0, limit.toMillis(), TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(limit.toMillis());
        }
    }
}
