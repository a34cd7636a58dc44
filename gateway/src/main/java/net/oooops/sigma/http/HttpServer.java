package net.oooops.sigma.http;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.LoopClock;

/** What the connections of one Listener have in common on one Worker. Called on that Worker's event loop. */
public interface HttpServer {
    /** The Listener's limits. */
    Limits limits();

    /** The Listener's timeouts. */
    Timeouts timeouts();

    /** The Worker's deadlines. */
    DeadlineWheel wheel();

    /** What the Worker's connections may hold in all. */
    RelayMemory memory();

    /** What the Worker's heads are written with. */
    HeadWriter writer();

    /** The Worker's clock. */
    LoopClock clock();

    /** An exchange for the request that begins on {@code connection}, and is answered on {@code stream}. */
    ServerExchange begin(DownstreamConnection connection, ServerStream stream);

    /** More of a head is there, and it isn't whole. Whether it may go on: heads of all requests together have a bound. */
    boolean mayHoldHead(ServerExchange of);

    /** More of its trailers is there, or all of them. Whether it may go on: they count with its head, until it is over. */
    boolean mayHoldTrailers(ServerExchange of, Trailers section);

    /** Whether a connection may speak HTTP/2 without having agreed on it before (RFC 9113 section 3.3). */
    boolean takesHttp2();

    /**
     * A connection speaks HTTP/2: another handler goes on with it.
     *
     * @param unused the exchange that was begun on it
     * @param received all that came, with the preface; the callee's now
     */
    void onPreface(DownstreamConnection connection, ServerExchange unused, ByteBuf received);

    /** Whether the gateway is draining: connections close after the exchange they are in. */
    boolean isDraining();

    /** A connection was opened; whether it may stay. */
    boolean onOpened(DownstreamConnection connection);

    /** A connection is about to be closed because no request came in time. */
    void onIdleTimeout();

    /** A request was answered before its body had come, and what comes of that is thrown away. */
    void onBodyLeft();

    /** The client of such a request took too long for the rest of its body, and may not have read its answer. */
    void onBodyCut();

    /** So many bytes came behind what the exchange of a connection has counted. */
    void onDiscarded(long bytes);

    /** Something was thrown on a connection, which closes: an {@link java.io.IOException}, or a fault of Sigma's own. */
    void onThrown(Throwable cause);

    /** A connection is closed. */
    void onClosed(DownstreamConnection connection);
}
