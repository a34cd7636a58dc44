package net.oooops.sigma.http2;

import net.oooops.sigma.http.HttpServer;

/** What the connections of one Listener that speak HTTP/2 have in common on one Worker. Called on that Worker's event loop. */
public interface Http2Server extends HttpServer {
    /** What the Worker's connections work in. */
    Http2Room room();

    /** How many requests may be under way at once on all connections of the Worker that have one already. */
    int http2StreamsMax();

    /** A request was refused: as many are under way on its connection, or on all, as may be. */
    void onStreamRefused();

    /** A stream ended before it was answered: reset by its client, or for what the client sent on it. */
    void onStreamReset();

    /**
     * A connection ends for what its client sent.
     *
     * @param flood whether that was too much, rather than wrong
     * @param reason for the log
     */
    void onBroken(boolean flood, String reason);
}
