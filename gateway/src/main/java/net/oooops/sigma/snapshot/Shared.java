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

    /** One more Snapshot has it. What has ended stays so: one that is compiled while a gateway stops is never followed, and has nothing to end. */
    Shared<T> share() {
        snapshots.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        return this;
    }

    /** One has it no more. Whether that was the last. */
    boolean leave() {
        return snapshots.getAndUpdate(count -> count == 0 ? 0 : count - 1) == 1;
    }
}
