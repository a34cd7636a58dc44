package net.oooops.sigma.runtime;

import io.netty.channel.Channel;

/** The stages of whatever comes in by one Listener, on one Worker: a part of a {@link Road}. Called on the Worker's event loop only. */
public interface Flow {
    /** Whether both ends of an accepted connection can be told; asked at its beginning, the channel remembers them. */
    static boolean isKnown(Channel channel) {
        return channel.remoteAddress() != null && channel.localAddress() != null;
    }

    /** A connection was accepted: adds its handler. It isn't active yet. */
    void accept(Channel channel);
}
