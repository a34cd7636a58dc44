package net.oooops.sigma.runtime;

import org.jspecify.annotations.Nullable;

/**
 * What was thrown where each of several is done whatever becomes of the others: said once all have been.
 *
 * <p>One thread.
 */
public final class Thrown {
    private @Nullable Throwable first;

    /** One step has failed. */
    public void add(Throwable cause) {
        if (first == null) {
            first = cause;
        } else if (first != cause) {
            first.addSuppressed(cause);
        }
    }

    /** One step: what it throws is kept. */
    public void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            add(e);
        }
    }

    /**
     * All have been done.
     *
     * @param what doesn't do as it should, in the message
     * @throws IllegalStateException where one has failed, with the first as its cause
     */
    public void end(String what) {
        if (first != null) {
            throw new IllegalStateException(what + ": " + first, first);
        }
    }
}
