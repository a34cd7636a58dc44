package net.oooops.sigma.control.socket;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Whether what operators say is heard here. Once another process has been told all that was said, whatever is said here is lost: from before
 * that on nothing is heard any more, and who says something is told so, be it on a connection that was there before.
 *
 * <p>Any thread.
 */
public final class Hearing {
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    /** Under the lock. */
    private boolean ended;

    /** A word, as long as it is heard. */
    public Steered heard(Steered word) {
        return asked -> {
            Lock saying = lock.readLock();
            saying.lock();
            try {
                if (ended) {
                    throw new Refused("another process takes the place of this one, and wouldn't hear of it"
                            + " (expected: to be asked again)");
                }
                return word.answer(asked);
            } finally {
                saying.unlock();
            }
        };
    }

    /** Nothing is heard from now on; waits for what is being said. */
    public void end() {
        ended(true);
    }

    /** It is again. */
    public void resume() {
        ended(false);
    }

    private void ended(boolean whether) {
        Lock listening = lock.writeLock();
        listening.lock();
        try {
            ended = whether;
        } finally {
            listening.unlock();
        }
    }
}
