package net.oooops.sigma.plugins.authentication;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * How much may be under way off the event loops, or wait for its turn, with exchanges parked: so much in all, and so much of one client, so that one
 * who sends more than can be done takes no more than a share. What is let in by {@link #enter} leaves once, by {@link #leave} or at the end of what
 * {@link #execute} does. Where it has {@link #trust}, those who have never sent anything that was right take half of all at most, and the second half of
 * that only who has nothing waiting: else a few of them would keep out all others, such as after a start, when nobody has been right yet. Safe for use
 * from any thread.
 */
public final class BoundedWork {
    /** How much there may be of all clients together. */
    public static final int WAITING_MAX = 1_000;

    /** How much of it may be of one client's address, or of one network of IPv6 (/64). */
    public static final int WAITING_PER_CLIENT_MAX = 200;

    /** How many clients are known to have been right, the last ones. */
    private static final int TRUSTED_MAX = 10_000;

    /** Of an address of IPv6: a client has all that begin so. */
    private static final int CLIENT_BITS = 64;

    private static final int IDLE_SECONDS = 10;

    /** Whether something may wait. */
    public enum Admission {
        ADMITTED,
        /** All together have too much. */
        BUSY,
        /** That client has. */
        CLIENT_BUSY
    }

    private final IntSupplier waitingMax;
    private final IntSupplier perClientMax;
    private final @Nullable BoundedWork around;
    private final @Nullable Remembered<Boolean> trusted;
    private final AtomicInteger waiting = new AtomicInteger();
    private final ConcurrentHashMap<IpAddress, Integer> byClient = new ConcurrentHashMap<>();

    private BoundedWork(
            IntSupplier waitingMax,
            IntSupplier perClientMax,
            @Nullable BoundedWork around,
            @Nullable Remembered<Boolean> trusted) {
        this.waitingMax = waitingMax;
        this.perClientMax = perClientMax;
        this.around = around;
        this.trusted = trusted;
    }

    /** Up to {@link #WAITING_MAX} and {@link #WAITING_PER_CLIENT_MAX}, for all places of sigma.json together. */
    public static BoundedWork ofAllPlaces() {
        return new BoundedWork(() -> WAITING_MAX, () -> WAITING_PER_CLIENT_MAX, null, null);
    }

    /**
     * The same, where half of it, and of what one place may have of it, is for those whom {@link #trust} was told of, and a quarter for others
     * who have nothing waiting.
     */
    public static BoundedWork ofAllPlacesWithTrust() {
        return new BoundedWork(() -> WAITING_MAX, () -> WAITING_PER_CLIENT_MAX, null, new Remembered<>(TRUSTED_MAX));
    }

    /** Up to what these say each time that something is to be let in. */
    public static BoundedWork upTo(IntSupplier waitingMax, IntSupplier perClientMax) {
        return new BoundedWork(waitingMax, perClientMax, null, null);
    }

    /** What one place may have of this. */
    public BoundedWork within(int waitingMax, int perClientMax) {
        return new BoundedWork(() -> waitingMax, () -> perClientMax, this, trusted);
    }

    /**
     * Threads for such work on half of the cores, so that event loops have the other half. They end when idle.
     *
     * @param name what names of threads begin with
     */
    public static Executor onHalfOfTheCores(String name) {
        int count = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                count,
                count,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_MAX),
                Thread.ofPlatform().daemon().name(name, 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Lets something of that client in, where it may wait. */
    public Admission enter(IpAddress from) {
        IpAddress client = from.network(CLIENT_BITS);
        int its = byClient.merge(client, 1, Integer::sum);
        if (its > perClientMax.getAsInt()) {
            leaveClient(client);
            return Admission.CLIENT_BUSY;
        }
        int most = waitingMax.getAsInt();
        if (waiting.incrementAndGet() > (isTrusted(client) ? most : untrustedMax(most, its))) {
            leaveHere(client);
            return Admission.BUSY;
        }
        Admission there = around == null ? Admission.ADMITTED : around.enter(from);
        if (there != Admission.ADMITTED) {
            leaveHere(client);
        }
        return there;
    }

    /** Up to how much may wait, where one who isn't trusted gets so much of it. */
    private static int untrustedMax(int most, int its) {
        int half = most - most / 2;
        return its == 1 ? half : half - half / 2;
    }

    private boolean isTrusted(IpAddress client) {
        return trusted == null || trusted.get(digest(client)) != null;
    }

    private static Digest digest(IpAddress client) {
        return Digest.of(client.octets());
    }

    /** What that client sent was right: it may have of the half that others don't get, as one of the last so many. */
    public void trust(IpAddress from) {
        if (trusted != null) {
            trusted.put(digest(from.network(CLIENT_BITS)), true);
        }
    }

    /** Something of that client that was let in is over. */
    public void leave(IpAddress from) {
        leaveHere(from.network(CLIENT_BITS));
        if (around != null) {
            around.leave(from);
        }
    }

    private void leaveHere(IpAddress client) {
        waiting.decrementAndGet();
        leaveClient(client);
    }

    private void leaveClient(IpAddress client) {
        byClient.computeIfPresent(client, (each, count) -> count == 1 ? null : count - 1);
    }

    /**
     * Has what was let in done, after which it leaves. Where the threads don't take it, it has left, and what they threw is thrown.
     *
     * @param work doesn't throw
     */
    public void execute(IpAddress from, Executor threads, Runnable work) {
        try {
            threads.execute(() -> {
                try {
                    work.run();
                } finally {
                    leave(from);
                }
            });
        } catch (RuntimeException | Error e) {
            leave(from);
            throw e;
        }
    }
}
