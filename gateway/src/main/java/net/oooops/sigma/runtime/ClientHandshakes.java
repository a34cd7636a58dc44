package net.oooops.sigma.runtime;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Set;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.tls.Handshakes;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.tls.TlsHandshake;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * The TLS handshakes of clients whose connections are open already, of one Listener on one Worker: counted, and logged where they fail.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class ClientHandshakes {
    private final LoopContext loop;
    private final String listenerId;
    private final Handshakes handshakes;
    private final Set<TlsHandshake> awaited = new LinkedHashSet<>();
    private final FollowTurns<TlsHandshake> turns;

    /** Whose connection is to be encrypted. Exactly one of the two is called, and none where the connection is closed before. */
    public interface Client {
        /** It is, from now on. Nothing is read from it yet: auto-read is off. */
        void onSecured(TlsSession tls);

        /** It won't be. It may have been told why, and closes as soon as it has heard of it. */
        void onUnencrypted();
    }

    /** @param listenerId for the log */
    public ClientHandshakes(LoopContext loop, String listenerId, ServerTls tls, Limits limits, Timeouts timeouts) {
        this.loop = loop;
        this.turns = new FollowTurns<>(TlsHandshake::follow, loop::thrown);
        this.listenerId = listenerId;
        this.handshakes = new Handshakes(
                tls,
                new Handshakes.Means(loop.eventLoop(), loop.wheel(), loop.clock(), loop.memory(), loop::thrown),
                bounds(limits, timeouts));
    }

    private Handshakes.Bounds bounds(Limits limits, Timeouts timeouts) {
        return new Handshakes.Bounds(loop.share(limits.handshakesMax(), 1), timeouts.handshakeNanos());
    }

    /** Those that begin from now on are these; those that are awaited have their time. */
    public void follow(ServerTls tls, Limits limits, Timeouts timeouts) {
        handshakes.follow(tls, bounds(limits, timeouts));
        turns.begin(awaited);
    }

    /** Those of which nothing has come yet have that long, or come to nothing. */
    public void drain(long nanos) {
        turns.end();
        awaited.forEach(handshake -> handshake.drain(nanos));
    }

    /** The gateway doesn't end after all: they have their whole time again, from when it began to. */
    public void resume() {
        turns.begin(awaited);
    }

    /** Something else is asked where those clients connected: all end, but those that begin when what was asked is followed once more. */
    public void endAll() {
        handshakes.endAll();
    }

    /** What counts handshakes that failed so. */
    public static Counter counterOf(Handshakes.Failure why) {
        return switch (why) {
            case TIMEOUT -> Counter.TLS_HANDSHAKES_LATE;
            case CROWDED -> Counter.TLS_HANDSHAKES_CROWDED;
            case NO_CERTIFICATE -> Counter.TLS_HANDSHAKES_EARLY;
            case REFUSED -> Counter.TLS_HANDSHAKES_FAILED;
        };
    }

    /** Encrypts a connection, and reads it for that. */
    public void begin(Channel channel, Client client) {
        handshakes.begin(channel, new Outcome(client));
        channel.config().setAutoRead(true);
    }

    /** Time has passed. */
    public void tick() {
        handshakes.tick();
        turns.tick();
    }

    /** What becomes of one. */
    private final class Outcome implements Handshakes.Outcome {
        private final Client client;

        private Outcome(Client client) {
            this.client = client;
        }

        @Override
        public boolean onAccepted(TlsHandshake handshake) {
            loop.counters().increment(Counter.TLS_HANDSHAKES_IN_FLIGHT);
            awaited.add(handshake);
            return true;
        }

        @Override
        public void onSecured(Channel channel, TlsSession session) {
            loop.counters().increment(Counter.TLS_HANDSHAKES);
            channel.config().setAutoRead(false);
            client.onSecured(session);
        }

        @Override
        public void onPlain(Channel channel) {
            onFailed(channel, Handshakes.Failure.REFUSED, null);
        }

        @Override
        public void onFailed(Channel channel, Handshakes.Failure why, @Nullable Throwable cause) {
            loop.counters().increment(counterOf(why));
            if (cause != null) {
                loop.failures().handshake(listenerId, channel.remoteAddress(), cause);
            }
            client.onUnencrypted();
        }

        @Override
        public void onEnded(TlsHandshake handshake) {
            loop.counters().decrement(Counter.TLS_HANDSHAKES_IN_FLIGHT);
            awaited.remove(handshake);
        }
    }
}
