package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.http1.ServerConnection;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.ClientHandshakes;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.tls.Handshakes;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.tls.TlsHandshake;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a Listener that ends TLS, until they are encrypted: then a {@link ServerConnection} goes on, as on a plain one.
 *
 * <p>Called on the Worker's event loop only.
 */
final class EncryptedConnections implements Handshakes.Outcome {
    private final HttpRoad road;
    private final HttpProxy proxy;
    private final ListenerConfig listener;
    private final LoopContext loop;
    private final Handshakes handshakes;

    EncryptedConnections(HttpRoad road, HttpProxy proxy, ListenerConfig listener, ServerTls tls) {
        this.road = road;
        this.proxy = proxy;
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
        goOn(channel, session);
    }

    @Override
    public void onPlain(Channel channel) {
        goOn(channel, null);
    }

    private void goOn(Channel channel, @Nullable TlsSession session) {
        ServerConnection connection = new ServerConnection(proxy, channel);
        connection.attach(Peer.of(channel, session));
        channel.pipeline().addLast(connection);
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
