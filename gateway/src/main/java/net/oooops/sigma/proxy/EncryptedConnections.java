package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.ClientHandshakes;
import net.oooops.sigma.runtime.FollowTurns;
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
    private final LoopContext loop;
    private final Handshakes handshakes;
    private final Set<TlsHandshake> awaited = new LinkedHashSet<>();
    private final FollowTurns<TlsHandshake> turns;
    private ListenerConfig listener;

    EncryptedConnections(HttpRoad road, HttpListener server, ListenerConfig listener, ServerTls tls) {
        this.road = road;
        this.server = server;
        this.listener = listener;
        this.loop = road.loop();
        this.turns = new FollowTurns<>(TlsHandshake::follow, loop::thrown);
        this.handshakes = new Handshakes(
                tls,
                new Handshakes.Means(loop.eventLoop(), loop.wheel(), loop.clock(), loop.memory(), loop::thrown),
                bounds());
    }

    private Handshakes.Bounds bounds() {
        return new Handshakes.Bounds(
                loop.share(listener.limits().handshakesMax(), 1),
                listener.timeouts().handshakeNanos());
    }

    /** Handshakes that begin from now on are those of a Listener that has become that one; those that are awaited have its time. */
    void follow(ListenerConfig now, ServerTls tls) {
        listener = now;
        handshakes.follow(tls, bounds());
        turns.begin(awaited);
    }

    /** Something else is asked where those clients connected: all end, but those that begin when what was asked is followed once more. */
    void endAll() {
        handshakes.endAll();
    }

    /** Those that are awaited begin as soon as an idle connection would have to, or not at all. */
    void drain() {
        turns.end();
        awaited.forEach(handshake -> handshake.drain(listener.timeouts().drainIdleNanos()));
    }

    /** The gateway doesn't end after all: they have their whole time again, from when it began to. */
    void resume() {
        turns.begin(awaited);
    }

    /** Those that are awaited or under way come to nothing. */
    void cut() {
        List.copyOf(awaited).forEach(TlsHandshake::cut);
    }

    /** How many are awaited, or under way. */
    int awaitedCount() {
        return awaited.size();
    }

    /** A connection was accepted. */
    void accept(Channel channel) {
        handshakes.accept(channel, this);
    }

    /** Time has passed. */
    void tick() {
        handshakes.tick();
        turns.tick();
    }

    @Override
    public boolean onAccepted(TlsHandshake handshake) {
        boolean stays = road.hasRoom(listener.limits().connectionsMax());
        if (stays && awaited.add(handshake)) {
            road.handshakeBegan();
        }
        return stays;
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
        if (awaited.remove(handshake)) {
            road.handshakeEnded();
        }
    }
}
