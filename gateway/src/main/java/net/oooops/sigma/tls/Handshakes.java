package net.oooops.sigma.tls;

import io.netty.channel.Channel;
import io.netty.channel.SingleThreadEventLoop;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.LoopClock;
import org.jspecify.annotations.Nullable;

/**
 * The TLS handshakes of one Listener on one Worker: so many at once, the others in line, from when their hello is whole. Few begin in one turn
 * of the event loop, since each takes it the better part of a millisecond: those who are being served aren't held up by those who come.
 *
 * <p>Called on that event loop only.
 */
public final class Handshakes {
    /** So many begin in a turn of the loop. */
    private static final int PER_TURN = 4;

    /** While another one waits, none may take longer. */
    private static final long IMPATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What becomes of a connection. */
    public interface Outcome {
        /** A connection was accepted, and its handshake is awaited. Whether it may stay. */
        boolean onAccepted(TlsHandshake handshake);

        /** It is encrypted from now on: adds the handler that goes on with it. */
        void onSecured(Channel channel, TlsSession session);

        /** What came is no TLS: adds the handler that tells the client so. A connection that had its handler before is closed. */
        void onPlain(Channel channel);

        /** It is closed, for that reason. */
        void onFailed(Channel channel, Failure why, @Nullable Throwable cause);

        /** It is neither awaited nor under way any more. */
        void onEnded(TlsHandshake handshake);
    }

    /** Why a handshake came to nothing. */
    public enum Failure {
        /** It wasn't finished in time. */
        TIMEOUT,
        /** Others waited, and it took long; or too much of hellos was kept. */
        CROWDED,
        /** The certificate for the host that was asked for is asked for itself, and isn't there yet. */
        NO_CERTIFICATE,
        /** Client and gateway couldn't agree, or one of them broke off. */
        REFUSED
    }

    /**
     * What holds for them.
     *
     * @param most how many may be under way at once
     * @param timeoutNanos how long each may take, and how long a client may say nothing
     */
    public record Bounds(int most, long timeoutNanos) {}

    /**
     * What it has of its Worker.
     *
     * @param thrown told of faults of Sigma's own
     */
    public record Means(
            SingleThreadEventLoop loop,
            DeadlineWheel wheel,
            LoopClock clock,
            RelayMemory memory,
            Consumer<? super Throwable> thrown) {}

    private final Means means;
    private ServerTls tls;
    private Bounds bounds;
    private final Hellos hellos = new Hellos();
    private final SequencedSet<TlsHandshake> underWay = new LinkedHashSet<>();
    private final SequencedSet<TlsHandshake> waiting = new LinkedHashSet<>();
    /** Whether none is to begin any more. */
    private boolean ended;

    private int begunInTurn;
    private boolean turning;
    private final Runnable onTurn = this::onTurn;
    private final Runnable afterTurn = this::afterTurn;

    /** None yet. */
    public Handshakes(ServerTls tls, Means means, Bounds bounds) {
        this.tls = tls;
        this.means = means;
        this.bounds = bounds;
    }

    /** Those that begin from now on are these. Where they ask for something else, those under way come to nothing: they can't be begun anew. */
    public void follow(ServerTls now, Bounds within) {
        if (!ServerTls.asksTheSame(tls, now)) {
            endBegun();
        }
        tls = now;
        bounds = within;
        ended = false;
    }

    /** Something else is asked where clients connected: all come to nothing, but those that begin when what was asked is followed once more. */
    public void endAll() {
        ended = true;
        endBegun();
    }

    private void endBegun() {
        for (TlsHandshake each : List.copyOf(underWay)) {
            try {
                each.failOutdated();
            } catch (RuntimeException | Error e) {
                // All others come to nothing all the same, and what was to follow does.
                means.thrown().accept(e);
            }
        }
    }

    /** What one that begins is by; null where none is to begin. */
    @Nullable ServerTls beginning() {
        return ended ? null : tls;
    }

    /**
     * A connection was accepted: adds what makes it an encrypted one.
     *
     * @param outcome is told what becomes of it
     */
    public void accept(Channel channel, Outcome outcome) {
        channel.pipeline().addLast(new TlsHandshake(this, outcome, false));
    }

    /**
     * The same for a connection that is open already, and has a handler: it hears of nothing but what was encrypted.
     */
    public void begin(Channel channel, Outcome outcome) {
        channel.pipeline().addFirst(new TlsHandshake(this, outcome, true));
    }

    ServerTls tls() {
        return tls;
    }

    Means means() {
        return means;
    }

    long timeoutNanos() {
        return bounds.timeoutNanos();
    }

    /** What is kept of hellos. */
    Hellos hellos() {
        return hellos;
    }

    /** Whether a handshake whose hello is whole, and of which so many bytes came last, may begin now. Else it is in line, or has failed. */
    boolean mayBegin(TlsHandshake handshake, int bytes) {
        if (waiting.isEmpty() && hasRoom()) {
            hellos.gone(handshake, handshake.keptBytes() - bytes);
            begins(handshake);
            return true;
        }
        waiting.add(handshake);
        hellos.whole(handshake, bytes);
        giveUpSlow();
        turn();
        return false;
    }

    private boolean hasRoom() {
        return underWay.size() < bounds.most() && begunInTurn < PER_TURN;
    }

    private void begins(TlsHandshake handshake) {
        underWay.add(handshake);
        begunInTurn++;
        turn();
    }

    /** A handshake that was awaited is over; so many bytes of its hello were kept. */
    void over(TlsHandshake handshake, int bytes) {
        if (!underWay.remove(handshake)) {
            waiting.remove(handshake);
            hellos.gone(handshake, bytes);
        }
        if (!waiting.isEmpty()) {
            turn();
        }
    }

    /** When this turn of the loop is over, the next ones begin; and the loop doesn't sleep before. */
    private void turn() {
        if (!turning) {
            turning = true;
            means.loop().execute(afterTurn);
        }
    }

    private void afterTurn() {
        means.loop().executeAfterEventLoopIteration(onTurn);
    }

    private void onTurn() {
        turning = false;
        begunInTurn = 0;
        while (!waiting.isEmpty() && hasRoom()) {
            TlsHandshake next = waiting.removeFirst();
            hellos.gone(next, next.keptBytes());
            begins(next);
            next.begin();
        }
    }

    /** Time has passed. */
    public void tick() {
        if (!waiting.isEmpty()) {
            giveUpSlow();
        }
    }

    /** Those that have taken long make room for those that wait. */
    private void giveUpSlow() {
        long now = means.clock().nanos();
        while (underWay.size() >= bounds.most() && now - underWay.getFirst().begunNanos() >= IMPATIENCE_NANOS) {
            underWay.getFirst().fail(Failure.CROWDED, null);
        }
    }
}
