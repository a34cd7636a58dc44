package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.BodySink;
import net.oooops.sigma.http.WebSocketKey;
import net.oooops.sigma.time.Timed;
import org.jspecify.annotations.Nullable;

/**
 * What an exchange has of its own once its protocol was switched: when bytes last came, which sides have got their end, and, of WebSockets, how
 * far their frames are. Both its bodies go on, without framing, until either side ends. What happens to it stands in {@link Tunnels}.
 *
 * <p>One for each switch. Belongs to one Worker.
 */
final class Tunnel extends Timed {
    private final Tunnels tunnels;
    private final HttpExchange exchange;
    private final @Nullable WebSocketWay toNode;
    private final @Nullable WebSocketWay toClient;
    private final long beganNanos;
    private long seenNanos;
    private boolean nodeEndSent;
    private boolean clientEndSent;
    private boolean leaving;
    private long leavingSinceNanos;
    private boolean expired;
    private long expiredSinceNanos;
    /** Whether it was told so because it has lasted as long as it may, and not because anything drains. */
    private boolean leavingExpired;
    /** It is being ended. */
    private boolean over;

    Tunnel(Tunnels tunnels, HttpExchange exchange, long nowNanos) {
        this.tunnels = tunnels;
        this.exchange = exchange;
        this.beganNanos = nowNanos;
        this.seenNanos = nowNanos;
        boolean frames = exchange.request.head.protocol.is(WebSocketKey.WEBSOCKET);
        this.toNode = frames ? new WebSocketWay(true) : null;
        this.toClient = frames ? new WebSocketWay(false) : null;
    }

    /**
     * Passes the next {@code count} bytes of {@code in} on.
     *
     * @return how many went on: fewer after Sigma has said that it is going away
     */
    int pass(boolean ofClient, BodySink to, ByteBuf in, int count) {
        WebSocketWay way = ofClient ? toNode : toClient;
        if (way != null) {
            return way.pass(to, in, count);
        }
        to.content(in, count);
        return count;
    }

    /** Something came, or was done. */
    void seen(long nowNanos) {
        seenNanos = nowNanos;
    }

    long quietNanos(long nowNanos) {
        return nowNanos - seenNanos;
    }

    long ageNanos(long nowNanos) {
        return nowNanos - beganNanos;
    }

    /** The end of what the client said was sent to the node. */
    void nodeEndSent() {
        nodeEndSent = true;
    }

    /** The end of what the node said was sent to the client. */
    void clientEndSent() {
        clientEndSent = true;
    }

    boolean isNodeEndSent() {
        return nodeEndSent;
    }

    boolean isClientEndSent() {
        return clientEndSent;
    }

    /** Whether one side has got its end. */
    boolean isHalfEnded() {
        return nodeEndSent || clientEndSent;
    }

    /** Whether both have. */
    boolean isEnded() {
        return nodeEndSent && clientEndSent;
    }

    /** Ends it; whether that is the first time: what ends a side may tell at once that it has ended. */
    boolean end() {
        boolean first = !over;
        over = true;
        return first;
    }

    /** Whether it is a protocol in which Sigma can say that it is going away. */
    boolean canSayGoodbye() {
        return toClient != null;
    }

    /** Both sides of a WebSocket are told that Sigma is going away, unless one of them closes it already. */
    void leave(BodySink client, @Nullable BodySink node, long nowNanos) {
        leaving = true;
        leavingSinceNanos = nowNanos;
        if (toClient == null || toNode == null || toClient.isClosing() || toNode.isClosing()) {
            return;
        }
        toClient.leave(client);
        if (node != null) {
            toNode.leave(node);
        }
    }

    /** Whether both sides are told, or to be told, that Sigma is going away. */
    boolean isLeaving() {
        return leaving;
    }

    /** Whether that is because the gateway, or the Listener, drains. */
    boolean drains() {
        return leaving && !leavingExpired;
    }

    /** How long ago they were told. */
    long leavingNanos(long nowNanos) {
        return nowNanos - leavingSinceNanos;
    }

    /** Whether the client was told so, and has the time to close in its turn: it doesn't hear of the node's end before. */
    boolean awaitsClose() {
        return toClient != null && toClient.isSaid() && !hasClientClosed();
    }

    /** Whether the client was told so, and has closed in its turn. */
    boolean hasClientClosed() {
        return toClient != null && toClient.isSaid() && toNode != null && toNode.isClosed();
    }

    /** It has lasted as long as it may. */
    void expire(long nowNanos) {
        expired = true;
        expiredSinceNanos = nowNanos;
        leavingExpired = !leaving;
    }

    boolean isExpired() {
        return expired;
    }

    /** How long ago that was. */
    long expiredNanos(long nowNanos) {
        return nowNanos - expiredSinceNanos;
    }

    @Override
    protected void onDeadline() {
        tunnels.look(exchange, this);
    }
}
