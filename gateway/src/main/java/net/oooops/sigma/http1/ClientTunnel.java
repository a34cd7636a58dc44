package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.util.List;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.WebSocketKey;
import org.jspecify.annotations.Nullable;

/** A node's connection whose protocol was switched. Called on its event loop only. */
final class ClientTunnel extends TunnelSide {
    private final ClientConnection connection;

    ClientTunnel(ClientConnection connection, Channel channel, Outlet outlet) {
        super(channel, outlet);
        this.connection = connection;
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }

    /** Success is a tunnel whatever its fields say of a body, even two things at once. */
    static Step answerToConnect(HttpResponseHead head, Step parsed) {
        boolean understood =
                parsed == Step.DONE || (parsed == Step.REFUSED && head.refusal() == Refusal.LENGTH_AND_CODING);
        if (!understood || !head.isSuccess()) {
            return parsed;
        }
        return head.opensTunnel() ? Step.DONE : Step.REFUSED;
    }

    /**
     * What is wrong with a 101, or with success that answers a CONNECT.
     *
     * @param asked the request that it answers, or null where that asks for no other protocol
     */
    static @Nullable Refusal refusalOf(HttpResponseHead head, @Nullable HttpRequestHead asked) {
        if (asked == null) {
            return Refusal.SWITCHED_UNASKED;
        }
        if (asked.isAuthorityForm()) {
            return head.isSuccess() ? null : Refusal.SWITCHED_UNASKED;
        }
        if (!head.switchesAsAsked(asked)) {
            return Refusal.SWITCHED_OTHERWISE;
        }
        // The key of a client of HTTP/1.1 is its own to verify. In HTTP/2 there is none, and the node got one of
        // Sigma's.
        boolean verified = asked.isHttp2() && asked.protocol.is(WebSocketKey.WEBSOCKET);
        return verified && !isProven(head, asked.value(WebSocketKey.KEY)) ? Refusal.WEBSOCKET_ACCEPT : null;
    }

    private static boolean isProven(HttpResponseHead head, @Nullable String key) {
        List<String> accepts = head.values(WebSocketKey.ACCEPT);
        return key != null && accepts.size() == 1 && accepts.getFirst().equals(WebSocketKey.answerTo(key));
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
