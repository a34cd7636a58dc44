package net.oooops.sigma.observe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import net.oooops.sigma.api.Fault;

/**
 * What one Worker counts. One thread writes, so that no count is ever lost and none costs more than a load and a store; other
 * threads see each number whole, some moments late at worst.
 *
 * <p>Everything public but {@link #ticks} is called on the Worker's event loop only; {@link CountersView} reads from any thread.
 */
@SuppressWarnings("EnumOrdinal") // Slots are counted by ordinals within one run; nothing outlives it.
public final class WorkerCounters {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final Counter[] COUNTERS = Counter.values();
    private static final Fault[] FAULTS = Fault.values();
    /** Two cache lines before and after, so that two Workers' counts never share one. */
    private static final int PADDING = 16;

    private static final int TICKS_AT = PADDING + COUNTERS.length;
    private static final int FAULTS_AT = TICKS_AT + 1;
    private static final int REFUSALS_AT = FAULTS_AT + FAULTS.length;

    private final RefusalNames refusals;
    private final long[] slots;
    /** Of plugins in shadow; nothing is in it where there are none. */
    private final Map<Shadow, LongAdder> shadows = new ConcurrentHashMap<>();

    private volatile PoolGauges[] pools = new PoolGauges[0];

    /**
     * Counters that begin at 0.
     *
     * @param refusals the reasons that {@link #refused} counts
     */
    public WorkerCounters(RefusalNames refusals) {
        this.refusals = refusals;
        this.slots = new long[REFUSALS_AT + refusals.all().size() + PADDING];
    }

    /** Counts that the Worker looked at its deadlines. */
    public void ticked() {
        plus(TICKS_AT, 1);
    }

    /** How often it did: ten times a second, unless something keeps its event loop. Any thread. */
    public long ticks() {
        return (long) SLOT.getOpaque(slots, TICKS_AT);
    }

    /** Counts a request in; {@link #requestEnded} counts it out. */
    public void requestBegan() {
        plus(PADDING + Counter.REQUESTS_IN_FLIGHT.ordinal(), 1);
    }

    /** Counts a request out, by the class of the status that it was answered with or that the log shows for it. */
    public void requestEnded(int status) {
        int statusClass = status >= 100 && status < 600 ? status / 100 : 5;
        plus(PADDING + Counter.REQUESTS_1XX.ordinal() + statusClass - 1, 1);
        plus(PADDING + Counter.REQUESTS_IN_FLIGHT.ordinal(), -1);
    }

    /** Counts a request that failed, whether or not the client could be told. */
    public void failed(Fault fault) {
        plus(FAULTS_AT + fault.ordinal(), 1);
    }

    /** Counts a message that was refused, by its reason: one of those given at construction. */
    public void refused(Enum<?> reason) {
        plus(REFUSALS_AT + refusals.index(reason), 1);
    }

    /** How many of them are told apart: further ones have no reason. */
    private static final int SHADOWS_MAX = 10_000;

    /** What a plugin in shadow would have done; as {@link Counters.Shadow} has it. */
    record Shadow(String plugin, String outcome, int status, String reason) {}

    /** Counts that a plugin in shadow would have done that; as {@link Counters.Shadow} has it. */
    public void shadowed(String plugin, String outcome, int status, String reason) {
        String told = shadows.size() < SHADOWS_MAX ? reason : "";
        shadows.computeIfAbsent(new Shadow(plugin, outcome, status, told), each -> new LongAdder())
                .increment();
    }

    /** How often plugins in shadow would have done what. */
    Map<Shadow, LongAdder> shadows() {
        return shadows;
    }

    /** Adds 1. */
    public void increment(Counter counter) {
        plus(PADDING + counter.ordinal(), 1);
    }

    /** Takes 1 from a gauge. */
    public void decrement(Counter gauge) {
        plus(PADDING + gauge.ordinal(), -1);
    }

    /** Adds {@code amount}. */
    public void add(Counter counter, long amount) {
        plus(PADDING + counter.ordinal(), amount);
    }

    /** Registers a pool; what it sets is seen until it is removed. */
    public PoolGauges pool(String upstreamId, String node) {
        PoolGauges pool = new PoolGauges(upstreamId, node);
        PoolGauges[] more = Arrays.copyOf(pools, pools.length + 1);
        more[more.length - 1] = pool;
        pools = more;
        return pool;
    }

    /** Forgets a pool that is gone. */
    public void remove(PoolGauges pool) {
        pools = Arrays.stream(pools).filter(other -> other != pool).toArray(PoolGauges[]::new);
    }

    private void plus(int slot, long amount) {
        SLOT.setOpaque(slots, slot, (long) SLOT.getOpaque(slots, slot) + amount);
    }

    long count(Counter counter) {
        return (long) SLOT.getOpaque(slots, PADDING + counter.ordinal());
    }

    long failures(Fault fault) {
        return (long) SLOT.getOpaque(slots, FAULTS_AT + fault.ordinal());
    }

    long refusals(int reason) {
        return (long) SLOT.getOpaque(slots, REFUSALS_AT + reason);
    }

    List<String> refusalNames() {
        return refusals.all();
    }

    PoolGauges[] pools() {
        return pools;
    }
}
