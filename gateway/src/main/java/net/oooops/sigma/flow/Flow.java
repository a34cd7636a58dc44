package net.oooops.sigma.flow;

import io.netty.channel.Channel;

/** The road of whatever comes in by one Listener, on one Worker. Called on the Worker's event loop only. */
public interface Flow {
    /** A connection was accepted: adds its handler. It isn't active yet. */
    void accept(Channel channel);
}
