package net.oooops.sigma.snapshot;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Something that stays where a configuration takes another one's place: it ends with the last Snapshot that has it.
 *
 * <p>Any thread.
 */
final class Shared<T> {
    private final T value;
    private final AtomicInteger snapshots = new AtomicInteger(1);

    /** Of one Snapshot so far. */
    Shared(T value) {
        this.value = value;
    }

    T value() {
        return value;
    }

    /** One more Snapshot has it. */
    Shared<T> share() {
        snapshots.incrementAndGet();
        return this;
    }

    /** One has it no more. Whether that was the last. */
    boolean leave() {
        return snapshots.decrementAndGet() == 0;
    }
}
