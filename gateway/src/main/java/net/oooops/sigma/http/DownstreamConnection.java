package net.oooops.sigma.http;

import io.netty.channel.Channel;
import net.oooops.sigma.api.Fault;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection, whatever version of HTTP is spoken on it: with one exchange at a time, or many.
 *
 * <p>Called on the connection's event loop only.
 */
public interface DownstreamConnection {
    /** The connection's channel, for its addresses. */
    Channel channel();

    /** What the exchanges' side keeps with the connection, or null. */
    @Nullable Object attachment();

    /** Keeps something with the connection. */
    void attach(Object kept);

    /** How much was received for its exchanges, from either side, and waits to be sent. */
    long waitingBytes();

    /** Memory has become short. */
    void onMemoryShort();

    /** Its Listener has other timeouts and limits: what is awaited now has the time that these say, counted from when it began to be awaited. */
    void follow();

    /** Closes now where no request is under way; otherwise after the responses to those that are. */
    void drain();

    /** Closes now. A request that is under way fails with that: its client is told, unless its answer has begun. */
    void cut(Fault fault);
}
