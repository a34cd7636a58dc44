package net.oooops.sigma.runtime;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.observe.Counter;

/**
 * The sessions of one protocol on a Worker, counted and logged.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class Sessions {
    private final LoopContext loop;
    private final Set<WorkerSession> all = new LinkedHashSet<>();

    /** None yet. */
    public Sessions(LoopContext loop) {
        this.loop = loop;
    }

    /** One begins. */
    public void began(WorkerSession session) {
        all.add(session);
        loop.counters().increment(Counter.SESSIONS_IN_FLIGHT);
    }

    /** One is over. */
    public void ended(WorkerSession session) {
        all.remove(session);
        loop.counters().decrement(Counter.SESSIONS_IN_FLIGHT);
        loop.counters().increment(session.fault() == null ? Counter.SESSIONS_COMPLETE : Counter.SESSIONS_CUT);
        if (loop.isLogging()) {
            loop.log(new SessionRecord(session, loop.clock().nanos()));
        }
    }

    /** How many there are. */
    public int count() {
        return all.size();
    }

    /** Ends those that there are. */
    public void cut() {
        List.copyOf(all).forEach(WorkerSession::cut);
    }

    /** How many bytes wait to be sent in all of them. */
    public long waitingBytes() {
        long waiting = 0;
        for (WorkerSession session : all) {
            waiting += session.waitingBytes();
        }
        return waiting;
    }

    /** So much waits, in all connections, that each is to be read a little at a time. */
    public void onMemoryShort() {
        all.forEach(WorkerSession::onMemoryShort);
    }
}
