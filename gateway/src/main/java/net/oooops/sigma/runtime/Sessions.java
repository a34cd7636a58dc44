package net.oooops.sigma.runtime;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import net.oooops.sigma.observe.Counter;

/**
 * The sessions of one protocol on a Worker, counted and logged.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class Sessions {
    private final LoopContext loop;
    /** With whom each follows what held when it began. */
    private final Map<WorkerSession, Generation.Followers> all = new LinkedHashMap<>();

    /** None yet. */
    public Sessions(LoopContext loop) {
        this.loop = loop;
    }

    /**
     * One begins.
     *
     * @param following those by whose configuration it does
     */
    public void began(WorkerSession session, Generation.Followers following) {
        all.put(session, following.enter());
        loop.counters().increment(Counter.SESSIONS_IN_FLIGHT);
    }

    /** One is over. */
    public void ended(WorkerSession session) {
        Generation.Followers following = all.remove(session);
        loop.counters().decrement(Counter.SESSIONS_IN_FLIGHT);
        loop.counters().increment(session.fault() == null ? Counter.SESSIONS_COMPLETE : Counter.SESSIONS_CUT);
        if (loop.isLogging()) {
            loop.log(new SessionRecord(session, loop.clock().now()));
        }
        if (following != null) {
            following.leave();
        }
    }

    /** How many there are. */
    public int count() {
        return all.size();
    }

    /** Ends those of them. */
    public void cut(Predicate<WorkerSession> which) {
        all.keySet().stream().filter(which).toList().forEach(WorkerSession::cut);
    }

    /** How many bytes wait to be sent in all of them. */
    public long waitingBytes() {
        long waiting = 0;
        for (WorkerSession session : all.keySet()) {
            waiting += session.waitingBytes();
        }
        return waiting;
    }

    /** So much waits, in all connections, that each is to be read a little at a time. */
    public void onMemoryShort() {
        all.keySet().forEach(WorkerSession::onMemoryShort);
    }
}
