package net.oooops.sigma.control;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.testkit.Await;

/** Another process as a test says that it is. */
public final class Watching implements Handover.Watch {
    private final Duration limit;
    private volatile Duration probation = Duration.ZERO;
    private volatile Duration lastCall = Duration.ZERO;
    private volatile boolean lives = true;
    private volatile boolean watched;
    private final AtomicInteger provenCount = new AtomicInteger();

    /** It lives, and needs to show nothing; what is under way may take so long. */
    public Watching(Duration limit) {
        this.limit = limit;
    }

    /** It is to show for so long that it lives. */
    public Watching probation(Duration time) {
        probation = time;
        return this;
    }

    /** So much of the limit is for what lies open for long. */
    public Watching lastCall(Duration time) {
        lastCall = time;
        return this;
    }

    /** It has ended. */
    public Watching end() {
        lives = false;
        return this;
    }

    int provenCount() {
        return provenCount.get();
    }

    /** Waits until it is watched: nothing is read or accepted any more then. */
    public Watching awaitWatched() {
        Await.until("watched", () -> watched);
        return this;
    }

    @Override
    public Handover.Other other() {
        watched = true;
        return lives ? Handover.Other.SERVES : Handover.Other.GONE;
    }

    @Override
    public Duration probation() {
        return probation;
    }

    @Override
    public void proven() {
        provenCount.incrementAndGet();
    }

    @Override
    public Duration limit() {
        return limit;
    }

    @Override
    public Duration lastCall() {
        return lastCall;
    }
}
