package net.oooops.sigma.control;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.Worker;

/**
 * Gives each connection that is accepted at a place its handler: that of the Listener that is there now, on the Worker whose event loop the connection
 * runs on.
 *
 * <p>Any thread.
 */
@Sharable
final class Accept extends ChannelInitializer<Channel> {
    private final List<Worker> workers;
    /** By the numbers of Workers; each is changed on that Worker's event loop. */
    private final AtomicReferenceArray<Flow> flows;

    private volatile String listenerId;

    Accept(List<Worker> workers, Listener listener) {
        this.workers = List.copyOf(workers);
        this.flows = new AtomicReferenceArray<>(workers.size());
        this.listenerId = listener.id();
    }

    /** Connections of that Worker go to that Listener from now on. On the Worker's event loop. */
    void lead(Worker worker, Listener listener) {
        Flow flow = worker.flow(listener.id());
        flows.set(worker.number(), Objects.requireNonNull(flow, "no such server"));
        listenerId = listener.id();
    }

    /** One couldn't be accepted, by that Worker. */
    void failed(Worker worker, Throwable cause) {
        worker.acceptFailed(listenerId, cause);
    }

    @Override
    protected void initChannel(Channel channel) {
        for (Worker worker : workers) {
            if (worker.eventLoop() == channel.eventLoop()) {
                flows.get(worker.number()).accept(channel);
                return;
            }
        }
        throw new IllegalStateException("a connection on an event loop without Worker");
    }
}
