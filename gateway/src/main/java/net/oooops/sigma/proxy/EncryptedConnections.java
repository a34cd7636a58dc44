package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.ClientHandshakes;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.tls.Handshakes;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.tls.TlsHandshake;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a Listener that ends TLS, until they are encrypted: then {@link HttpListener} goes on with them, as with plain ones.
 *
 * <p>Called on the Worker's event loop only.
 */
final class EncryptedConnections implements Handshakes.Outcome {
    private final HttpRoad road;
    private final HttpListener server;
    private final ListenerConfig listener;
    private final LoopContext loop;
    private final Handshakes handshakes;

    EncryptedConnections(HttpRoad road, HttpListener server, ListenerConfig listener, ServerTls tls) {
        this.road = road;
        this.server = server;
        this.listener = listener;
        this.loop = road.loop();
        this.handshakes = new Handshakes(
                tls,
                new Handshakes.Means(loop.eventLoop(), loop.wheel(), loop.clock(), loop.memory()),
                new Handshakes.Bounds(
                        loop.share(listener.limits().handshakesMax(), 1),
                        listener.timeouts().handshakeNanos()));
    }

    /** A connection was accepted. */
    void accept(Channel channel) {
        handshakes.accept(channel, this);
    }

    /** Time has passed. */
    void tick() {
        handshakes.tick();
    }

    @Override
    public boolean onAccepted(TlsHandshake handshake) {
        return road.handshakeBegan(handshake, listener.limits().connectionsMax());
    }

    @Override
    public void onSecured(Channel channel, TlsSession session) {
        loop.counters().increment(Counter.TLS_HANDSHAKES);
        server.goOn(channel, session);
    }

    @Override
    public void onPlain(Channel channel) {
        server.goOn(channel, null);
    }

    @Override
    public void onFailed(Channel channel, Handshakes.Failure why, @Nullable Throwable cause) {
        loop.counters().increment(ClientHandshakes.counterOf(why));
        if (cause != null) {
            loop.failures().handshake(listener.id(), channel.remoteAddress(), cause);
        }
    }

    @Override
    public void onEnded(TlsHandshake handshake) {
        road.handshakeEnded(handshake);
    }
}
