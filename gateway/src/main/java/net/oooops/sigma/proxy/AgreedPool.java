package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http1.ClientConnection;
import org.jspecify.annotations.Nullable;

/**
 * The connections to a Node of which each handshake tells whether it speaks HTTP/2 or HTTP/1.1 (ALPN, RFC 7301): a pool for each of the
 * two. Tries go to the one of the version that was agreed on last. A connection is used as what it is, whatever it was opened for.
 *
 * <pre>
 *   HTTP/2 (at first, too) ── a handshake agrees on nothing, or HTTP/1.1, and no connection of HTTP/2 is left ──▶ HTTP/1.1
 *      ▲                                                                                                           │
 *      └───────────────────────────────────────── a handshake agrees on HTTP/2 ────────────────────────────────────┘
 * </pre>
 *
 * At first tries wait as they do for HTTP/2, so that a hundred of them open one connection. A node that goes on speaking both, behind
 * several addresses, is left for HTTP/1.1 only when its last connection of HTTP/2 ends.
 *
 * <p>What asks for another protocol goes on in HTTP/1.1 where the node takes none on streams of HTTP/2 (RFC 8441). That is remembered until
 * a connection of HTTP/2 says otherwise.
 */
final class AgreedPool extends HttpPool {
    private final Http1Pool http1;
    private final Http2Pool http2;
    private HttpPool current;
    /** Connections of HTTP/2 take no other protocols. */
    private boolean tunnelsInHttp1;

    AgreedPool(HttpRoad road, HttpNode node) {
        super(road, node);
        this.http1 = new Http1Pool(road, node, this);
        this.http2 = new Http2Pool(road, node, this);
        this.current = http2;
    }

    /** Whether tries go to that one. */
    boolean isCurrent(HttpPool pool) {
        return current == pool;
    }

    /** Whether connections of HTTP/1.1 that nobody uses are kept. */
    boolean usesHttp1() {
        return current == http1 || tunnelsInHttp1;
    }

    /** How many connections of HTTP/1.1 there are. */
    int http1Count() {
        return http1.openCount();
    }

    /** One of them is gone. */
    void http1Left() {
        if (current == http2) {
            http2.openMore();
        }
    }

    /** No connection of HTTP/2 takes the protocol that a try asks for: it is asked for in HTTP/1.1, and so are all from now on. */
    void tunnelInHttp1(Attempt attempt) {
        tunnelsInHttp1 = true;
        http1.find(attempt);
    }

    /** Other protocols are asked for in HTTP/2 again: a connection takes them, or the node doesn't speak HTTP/1.1. */
    void tunnelsInHttp2() {
        tunnelsInHttp1 = false;
    }

    /** A connection that was opened for HTTP/1.1 speaks HTTP/2: it is the other pool's. */
    void becameHttp2(Channel channel, Limits limits) {
        http2.adopt(channel, limits);
        agreedOnHttp2();
    }

    /**
     * A connection that was opened for HTTP/2 speaks HTTP/1.1: it is the other pool's.
     *
     * @param first who takes it, or null where nobody waits
     */
    void becameHttp1(Channel channel, Limits limits, @Nullable Attempt first) {
        boolean turns = isHttp1();
        if (turns) {
            current = http1;
        }
        http1.adopt(channel, limits, first);
        if (turns) {
            http2.sendOn(http1);
            node().agreed(HttpVersion.HTTP_1_1);
        } else {
            // Others may have waited for it.
            http2.openMore();
        }
    }

    /** A handshake has agreed on HTTP/2, and its connection lends streams. */
    void agreedOnHttp2() {
        if (current != http2) {
            current = http2;
            http1.sendOn(this);
            http1.close();
        }
        node().agreed(HttpVersion.HTTP_2);
    }

    /** A handshake for HTTP/1.1 has agreed on that. */
    void agreedOnHttp1() {
        if (!isHttp1()) {
            return;
        }
        if (current != http1) {
            current = http1;
            http2.sendOn(http1);
        }
        node().agreed(HttpVersion.HTTP_1_1);
    }

    private boolean isHttp1() {
        return !http2.lends();
    }

    @Override
    void seek(Attempt attempt) {
        boolean inHttp1 = tunnelsInHttp1 && StreamLine.isTunnel(attempt);
        (inHttp1 ? http1 : current).find(attempt);
    }

    @Override
    void giveUp(Attempt attempt) {
        // It waits in one of them at most.
        http2.giveUp(attempt);
        http1.giveUp(attempt);
    }

    @Override
    void lend(Attempt attempt, ClientStream client) {
        of(client).lend(attempt, client);
    }

    @Override
    void release(Attempt attempt, ClientStream client, boolean fit) {
        of(client).release(attempt, client, fit);
    }

    @Override
    boolean serveUpTo(Attempt attempt) {
        // In HTTP/2 nobody is served for having waited for long.
        return http1.serveUpTo(attempt);
    }

    private HttpPool of(ClientStream client) {
        return client instanceof ClientConnection ? http1 : http2;
    }

    @Override
    void setAside(Attempt attempt, boolean aside) {
        ClientStream client = attempt.client();
        if (client != null) {
            of(client).setAside(attempt, aside);
        }
    }

    @Override
    boolean tellsUnprocessed() {
        return current.tellsUnprocessed();
    }

    @Override
    boolean isToBlame(Throwable cause) {
        return current.isToBlame(cause);
    }

    @Override
    void onAnswer(boolean error, long nowNanos) {
        current.onAnswer(error, nowNanos);
    }

    @Override
    void tickWidth(boolean spare) {
        http1.tickWidth(spare);
    }

    @Override
    void leaveFormerAddresses() {
        http2.leaveFormerAddresses();
    }

    @Override
    void follow() {
        http1.follow();
        http2.follow();
    }

    @Override
    void retire() {
        http1.retire();
        http2.retire();
    }

    @Override
    void dismiss() {
        http1.dismiss();
        http2.dismiss();
    }

    @Override
    void close() {
        http1.close();
        http2.close();
    }

    @Override
    int openCount() {
        return http1.openCount() + http2.openCount();
    }

    @Override
    int idleCount() {
        return http1.idleCount() + http2.idleCount();
    }

    @Override
    int waitingCount() {
        return http1.waitingCount() + http2.waitingCount();
    }
}
