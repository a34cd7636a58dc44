package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.http.Outlet;

/** A node's connection whose protocol was switched. Called on its event loop only. */
final class ClientTunnel extends TunnelSide {
    private final ClientConnection connection;

    ClientTunnel(ClientConnection connection, Channel channel, Outlet outlet) {
        super(channel, outlet);
        this.connection = connection;
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }

    @Override
    boolean mayEndUnsaid() {
        return false;
    }

    @Override
    void onBytes(ByteBuf in) {
        connection.received(in.readableBytes());
        pass(in);
    }

    /** What was received before passes as what comes. */
    void pass(ByteBuf in) {
        ClientExchange exchange = connection.exchange();
        if (exchange != null && in.isReadable()) {
            exchange.onResponseBody(in, in.readableBytes());
        }
    }

    @Override
    void onPause() {
        ClientExchange exchange = connection.exchange();
        if (exchange != null) {
            exchange.onResponsePause();
        }
    }

    @Override
    void onInputEnd() {
        ClientExchange exchange = connection.exchange();
        if (exchange != null) {
            exchange.onResponseEnd();
        }
    }

    @Override
    void onOutputEnd() {
        ClientExchange exchange = connection.exchange();
        if (exchange != null) {
            exchange.onRequestSent();
        }
    }
}
