package net.oooops.sigma.cli;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a gateway is asked for that may take its time, one after the other. All reloads that are asked for before one begins are that one.
 *
 * <p>{@link #work}: a thread of its own. The rest: any thread; nothing waits.
 */
final class Turns {
    private static final Logger LOG = LoggerFactory.getLogger(Turns.class);

    private final LinkedBlockingQueue<Runnable> asked = new LinkedBlockingQueue<>();
    private final AtomicBoolean reloadWaits = new AtomicBoolean();
    private final Runnable reload;

    /** @param reload does one */
    Turns(Runnable reload) {
        this.reload = reload;
    }

    /** A reload is asked for. */
    void reload() {
        if (reloadWaits.compareAndSet(false, true)) {
            asked.add(() -> {
                // Before anything is read: who asks from now on means what is read after that.
                reloadWaits.set(false);
                reload.run();
            });
        }
    }

    /** Something else is asked for. */
    void add(Runnable what) {
        asked.add(what);
    }

    /** Does all of it, until the thread is interrupted. */
    void work() {
        while (true) {
            try {
                asked.take().run();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException | Error e) {
                // Else nothing would be done any more, without a word.
                LOG.error("what was asked for failed in a way that nobody expected", e);
            }
        }
    }
}
