package net.oooops.sigma.control;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.tls.SecureEnd;
import net.oooops.sigma.upstream.Bound;
import org.jspecify.annotations.Nullable;

/**
 * Gives each connection that is accepted at a place its handler: that of the Listener that is there now, on the Worker whose event loop the connection
 * runs on. Of all those that are accepted at all places there are only so many at once, as file descriptors allow.
 *
 * <p>Any thread.
 */
@Sharable
final class Accept extends ChannelInitializer<Channel> {
    private final List<Worker> workers;
    private final Bound connections;
    private final ChannelFutureListener onClosed;
    /** By the numbers of Workers; each is changed on that Worker's event loop. Null where nothing takes what is accepted. */
    private final AtomicReferenceArray<@Nullable Flow> flows;

    private volatile String listenerId;

    /** @param connections how many there may be by all of these together */
    Accept(List<Worker> workers, Listener listener, Bound connections) {
        this.workers = List.copyOf(workers);
        this.connections = connections;
        this.onClosed = closed -> connections.release();
        this.flows = new AtomicReferenceArray<>(workers.size());
        this.listenerId = listener.id();
    }

    /**
     * Connections of that Worker go to that Listener from now on. On the Worker's event loop.
     *
     * @throws IllegalStateException where the Worker has nothing for that one, by a fault of Sigma's own: connections are reset then
     */
    void lead(Worker worker, Listener listener) {
        Flow flow = worker.flow(listener.id());
        listenerId = listener.id();
        // What was there before may ask less of clients than what was to take its place: it gets no more of them.
        flows.set(worker.number(), flow);
        if (flow == null) {
            throw new IllegalStateException("proxy-server \"" + listener.id()
                    + "\" couldn't be made (expected: that the log says why), so its connections are reset");
        }
    }

    /** One couldn't be accepted, by that Worker. */
    void failed(Worker worker, Throwable cause) {
        worker.acceptFailed(listenerId, cause);
    }

    @Override
    protected void initChannel(Channel channel) {
        Worker worker = workerOf(channel);
        if (!connections.tryTake()) {
            worker.connectionRefused(listenerId, connections.count());
            reset(channel);
            return;
        }
        channel.closeFuture().addListener(onClosed);
        Flow flow = flows.get(worker.number());
        if (flow == null) {
            worker.connectionUntaken();
            reset(channel);
            return;
        }
        flow.accept(channel);
    }

    /** Its descriptor is free at once then, and its client isn't left to wait. */
    private static void reset(Channel channel) {
        try {
            SecureEnd.reset(channel);
        } catch (ChannelException _) {
            // Its client was faster.
            channel.close();
        }
    }

    private Worker workerOf(Channel channel) {
        for (Worker worker : workers) {
            if (worker.eventLoop() == channel.eventLoop()) {
                return worker;
            }
        }
        throw new IllegalStateException("a connection on an event loop without Worker");
    }
}
