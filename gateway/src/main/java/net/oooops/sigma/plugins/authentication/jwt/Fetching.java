package net.oooops.sigma.plugins.authentication.jwt;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.Looking;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches keys from a URL, for the plugin at one place of sigma.json and whoever takes its place: no token, and no redirect, leads anywhere else. They
 * are fetched at the start, again once they are old, and between when a token names a key that isn't among them: anybody can write such a token,
 * so that is a few times in a pause at most, with a time between, and no token that names nothing keeps a new key away for the whole of it.
 * Where that fails, whatever it fails with, those that were fetched last stay, and it is tried again; as long as one has none at all, soon.
 *
 * <p>It has one thread from the first {@link #begin} until the last of those that entered has left; all keys are taken on that thread, one after the
 * other. Safe for use from any thread.
 */
final class Fetching {
    private static final Logger LOG = LoggerFactory.getLogger(Fetching.class);
    private static final long LOOK_MILLIS = 500;
    /** As many as one after the other; then one more in each such part of the pause. */
    private static final int FETCHES_IN_A_PAUSE = 3;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int DOUBLINGS_MAX = 20;

    /** What runs. */
    private record Running(Asking asking, Looking looking) {
        void stop() {
            looking.close();
            asking.close();
        }
    }

    private final RemoteKeys.Wanted wanted;
    private final PluginContext.Counter failures;
    private final Asking.Factory factory;
    private final List<RemoteKeys> takers = new CopyOnWriteArrayList<>();
    private final AtomicInteger holders = new AtomicInteger(1);
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicReference<@Nullable Running> running = new AtomicReference<>();
    private final AtomicReference<@Nullable CompletableFuture<Boolean>> underWay = new AtomicReference<>();
    /** By then as many may be fetched as ever. */
    private volatile long restedNanos;

    /** Not before, as long as one of those who take keys has none. */
    private volatile long freeNanos;

    /** How often it has failed since it worked; by the one that fetches. */
    private volatile int failedTimes;

    private volatile long dueNanos;
    private volatile @Nullable String text;
    private volatile boolean told;

    /** One that its maker has entered. */
    Fetching(RemoteKeys.Wanted wanted, PluginContext.Counter failures, Asking.Factory factory) {
        this.wanted = wanted;
        this.failures = failures;
        this.factory = factory;
    }

    RemoteKeys.Wanted wanted() {
        return wanted;
    }

    /** What was fetched last and could be used; null where nothing was. */
    @Nullable String text() {
        return text;
    }

    /** It was fetched before, by another one, and could be used: it holds until something is fetched here. */
    void known(String fetched) {
        if (text == null) {
            text = fetched;
        }
    }

    /** Has it go on until that one leaves, too; false where all have left already. */
    boolean enter() {
        int now = holders.get();
        while (now > 0) {
            if (holders.compareAndSet(now, now + 1)) {
                return true;
            }
            now = holders.get();
        }
        return false;
    }

    /** One that has entered takes keys from now on, those that are there, too; the first one has them fetched. */
    void begin(RemoteKeys taker) throws IOException, GeneralSecurityException {
        takers.add(taker);
        if (begun.compareAndSet(false, true)) {
            runOrUndo(taker);
            return;
        }
        Running now = running.get();
        if (now != null) {
            now.looking.execute(() -> {
                String last = text;
                if (last != null && (taker.hasRefused(last) || !takeOrTell(wanted, last, taker))) {
                    fetchAtOnce();
                }
            });
        }
    }

    private void runOrUndo(RemoteKeys taker) throws IOException, GeneralSecurityException {
        boolean runs = false;
        try {
            run();
            runs = true;
        } finally {
            if (!runs) {
                takers.remove(taker);
                begun.set(false);
            }
        }
    }

    private void run() throws IOException, GeneralSecurityException {
        long now = System.nanoTime();
        restedNanos = now;
        freeNanos = now;
        // The first time is below.
        dueNanos = now + wanted.pause().toNanos();
        Asking asking = factory.of(wanted);
        try {
            running.set(new Running(asking, Looking.begin("sigma-jwks", LOOK_MILLIS, LOG, this::look)));
        } catch (RuntimeException | Error e) {
            asking.close();
            throw e;
        }
        if (holders.get() == 0) {
            stop();
        } else {
            fetch();
        }
    }

    /** One that has entered leaves. */
    void leave(RemoteKeys taker) {
        takers.remove(taker);
        if (holders.decrementAndGet() == 0) {
            stop();
        }
    }

    private void stop() {
        Running last = running.getAndSet(null);
        if (last != null) {
            last.stop();
        }
        CompletableFuture<Boolean> waits = underWay.get();
        if (waits != null) {
            end(waits, false);
        }
    }

    /** For one that is without: the pause that those had who have keys isn't its own. */
    private void fetchAtOnce() {
        failedTimes = 0;
        freeNanos = System.nanoTime();
        fetch();
    }

    private void look() {
        if (System.nanoTime() - dueNanos >= 0) {
            fetch();
        }
    }

    /** As {@link RemoteKeys#fetch}. */
    @Nullable CompletableFuture<Boolean> fetch() {
        Running now = running.get();
        CompletableFuture<Boolean> before = underWay.get();
        if (before != null || now == null || isPause()) {
            return before;
        }
        CompletableFuture<Boolean> next = new CompletableFuture<>();
        if (!underWay.compareAndSet(null, next)) {
            return underWay.get();
        }
        if (isPause()) {
            // Another one began and ended since it was asked above.
            end(next, false);
            return null;
        }
        begin();
        try {
            ask(now, next);
        } catch (RuntimeException | Error e) {
            failed(e);
            end(next, false);
        }
        if (running.get() == null) {
            end(next, false);
        }
        return next;
    }

    /** Whether there are none, or none that one of those can use who take them. */
    private boolean lacksAny() {
        if (text == null) {
            return true;
        }
        for (RemoteKeys taker : takers) {
            if (taker.isWithout()) {
                return true;
            }
        }
        return false;
    }

    private boolean isPause() {
        long now = System.nanoTime();
        long pause = wanted.pause().toNanos();
        return lacksAny() ? now - freeNanos < 0 : restedNanos - now > pause - pause / FETCHES_IN_A_PAUSE;
    }

    private void begin() {
        long now = System.nanoTime();
        restedNanos = now + Math.max(0, restedNanos - now) + wanted.pause().toNanos() / FETCHES_IN_A_PAUSE;
    }

    /** Without any, all wait for them: it is tried soon, and then less and less often. */
    private long pauseNanos() {
        long pause = wanted.pause().toNanos();
        return lacksAny() ? Math.min(pause, FIRST_PAUSE_NANOS << Math.min(failedTimes, DOUBLINGS_MAX)) : pause;
    }

    private void ask(Running now, CompletableFuture<Boolean> next) {
        CompletableFuture<Asking.Answer> sent = now.asking.ask();
        sent.copy()
                .orTimeout(wanted.timeout().toMillis(), TimeUnit.MILLISECONDS)
                .handleAsync(this::taken, now.looking)
                .whenComplete((changed, failure) -> {
                    sent.cancel(true);
                    end(next, failure == null && changed);
                });
    }

    private void end(CompletableFuture<Boolean> fetch, boolean changed) {
        underWay.compareAndSet(fetch, null);
        fetch.complete(changed);
    }

    /** Whether any of those who take keys has others now. */
    private boolean taken(Asking.@Nullable Answer answer, @Nullable Throwable failure) {
        boolean changed = false;
        try {
            String found = text(answer, failure);
            UnfitException unfit = null;
            for (RemoteKeys taker : takers) {
                try {
                    changed |= taker.take(found);
                } catch (UnfitException e) {
                    unfit = e;
                }
            }
            if (changed) {
                text = found;
                LOG.info("{}: keys fetched", wanted.url());
            }
            if (unfit != null) {
                throw unfit;
            }
            told = false;
            failedTimes = 0;
            dueNanos = System.nanoTime() + wanted.lifetime().toNanos();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
        return changed;
    }

    private static String text(Asking.@Nullable Answer answer, @Nullable Throwable failure) {
        if (answer == null) {
            throw new UnfitException(
                    "an answer; " + (failure instanceof CompletionException ? failure.getCause() : failure));
        }
        if (answer.status() != 200) {
            throw new UnfitException("status 200, not " + answer.status());
        }
        return answer.text();
    }

    private void failed(Throwable why) {
        dueNanos = System.nanoTime() + pauseNanos();
        freeNanos = dueNanos;
        failedTimes = Math.min(failedTimes + 1, DOUBLINGS_MAX);
        failures.increment();
        if (!told && running.get() != null) {
            told = true;
            LOG.warn(
                    "{}: no keys fetched, tried again within {} s ({})",
                    wanted.url(),
                    wanted.pause().toSeconds(),
                    why instanceof UnfitException unfit ? "expected: " + unfit.expected() : why.toString());
        }
    }

    /**
     * Gives one the keys that others had fetched; where they are none for it, that is said, and it waits for others.
     *
     * @return whether it has them
     */
    static boolean takeOrTell(RemoteKeys.Wanted wanted, String text, RemoteKeys taker) {
        try {
            taker.takeOfBefore(text);
            return true;
        } catch (UnfitException e) {
            LOG.warn("{}: keys that were fetched before can't be used (expected: {})", wanted.url(), e.expected());
            return false;
        }
    }
}
