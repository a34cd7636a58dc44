package net.oooops.sigma;

import io.netty.channel.SingleThreadEventLoop;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.internal.ContextInternal;
import net.oooops.sigma.runtime.Worker;

/**
 * The main verticle: one instance for each event loop. It makes the Worker of its loop; what connections a Worker gets is
 * bound by {@code control}, which deploys these.
 *
 * <p>Started and stopped on its event loop by Vert.x.
 */
public final class Sigma extends VerticleBase {
    /** What a verticle needs to make its Worker; called on its event loop. */
    @FunctionalInterface
    public interface Workers {
        /** Makes the Worker of that event loop. */
        Worker make(SingleThreadEventLoop loop);
    }

    private final Workers workers;

    /** An instance that gets its Worker from {@code workers}. */
    public Sigma(Workers workers) {
        this.workers = workers;
    }

    @Override
    public Future<?> start() {
        SingleThreadEventLoop loop = (SingleThreadEventLoop) ((ContextInternal) context).nettyEventLoop();
        workers.make(loop).start();
        return Future.succeededFuture();
    }
}
