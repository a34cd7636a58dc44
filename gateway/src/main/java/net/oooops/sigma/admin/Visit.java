package net.oooops.sigma.admin;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;

/** One connection to an {@link AdminServer}, and what it takes up. Of the server's event loop. */
final class Visit {
    private final HttpConnection connection;
    private boolean asked;
    private boolean page;
    private long timer = -1;

    Visit(HttpConnection connection) {
        this.connection = connection;
    }

    /** Its request is here: whether it is the first one, which alone is answered. */
    boolean ask() {
        boolean first = !asked;
        asked = true;
        return first;
    }

    boolean hasAsked() {
        return asked;
    }

    /** Takes one of the places for pages. */
    void takePage() {
        page = true;
    }

    /** Gives its place for a page back, once; whether it had one. */
    boolean leavePage() {
        boolean had = page;
        page = false;
        return had;
    }

    void timer(long id) {
        timer = id;
    }

    long timer() {
        return timer;
    }

    /**
     * Ends it at once, by a reset: what its peer hasn't taken is dropped. Vert.x's own {@code close} waits until all is sent, for as
     * long as the peer likes.
     */
    void cut() {
        if (connection instanceof HttpServerConnection known) {
            Channel channel = known.channelHandlerContext().channel();
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            // From the head of the pipeline, past Vert.x's handler.
            channel.pipeline().firstContext().close();
        } else {
            connection.close();
        }
    }
}
