package net.oooops.sigma.control;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import java.util.List;
import net.oooops.sigma.runtime.Worker;

/** Gives each accepted connection its handler: that of the Worker whose event loop it runs on. */
@Sharable
final class Accept extends ChannelInitializer<Channel> {
    private final List<Worker> workers;
    private final int listener;

    /** @param listener the Listener's number among all of the plan */
    Accept(List<Worker> workers, int listener) {
        this.workers = List.copyOf(workers);
        this.listener = listener;
    }

    @Override
    protected void initChannel(Channel channel) {
        for (Worker worker : workers) {
            if (worker.eventLoop() == channel.eventLoop()) {
                worker.flows().get(listener).accept(channel);
                return;
            }
        }
        throw new IllegalStateException("a connection on an event loop without Worker");
    }
}
