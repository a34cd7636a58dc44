package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.http.ServerExchange;
import org.jspecify.annotations.Nullable;

/** A client's connection whose protocol was switched. Called on its event loop only. */
final class ServerTunnel extends TunnelSide {
    private final ServerConnection connection;

    ServerTunnel(ServerConnection connection, Outlet outlet) {
        super(connection.channel(), outlet);
        this.connection = connection;
    }

    /**
     * Takes the place of the connection in reading.
     *
     * @param first what was received behind the request, or null; it is released here
     * @param ended whether that was all
     */
    void begin(ServerConnection before, @Nullable ByteBuf first, boolean ended) {
        begin(before);
        pause(false);
        if (first != null) {
            try {
                pass(first);
            } finally {
                first.release();
            }
        }
        if (ended) {
            endInput();
        }
        onPause();
    }

    @Override
    boolean mayEndUnsaid() {
        return true;
    }

    @Override
    void onBytes(ByteBuf in) {
        connection.input().came(in.readableBytes());
        pass(in);
    }

    /** What was received before passes as what comes. */
    void pass(ByteBuf in) {
        ServerExchange exchange = connection.exchange();
        if (exchange != null) {
            exchange.onRequestBody(in, in.readableBytes());
        }
    }

    @Override
    void onPause() {
        ServerExchange exchange = connection.exchange();
        if (exchange != null) {
            exchange.onRequestPause();
        }
    }

    @Override
    void onInputEnd() {
        ServerExchange exchange = connection.exchange();
        if (exchange != null) {
            exchange.onRequestEnd();
        }
    }

    @Override
    void onOutputEnd() {
        ServerExchange exchange = connection.exchange();
        if (exchange != null) {
            exchange.onResponseSent();
        }
    }
}
