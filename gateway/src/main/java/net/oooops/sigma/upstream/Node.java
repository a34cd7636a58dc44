package net.oooops.sigma.upstream;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * One node of an {@link Upstream}, as all Workers share it: whether it may be used, and what is known of how it answers.
 *
 * <pre>
 *   AVAILABLE ─ eject ─▶ EJECTED ─ its time is over ─▶ TRIAL ─ trials succeed ─▶ AVAILABLE (its share grows slowly)
 *                           ▲                            │
 *                           └──────── a trial fails ─────┘
 * </pre>
 *
 * Beside that a check may say that it is down. What it did is counted by each Worker in a {@link NodeTally} of its own. The rules by
 * which it moves stand in {@link Ejection}.
 *
 * <p>Any thread.
 */
public final class Node {
    /** Whether requests are given to it, as far as their own course tells. */
    public enum State {
        AVAILABLE,
        EJECTED,
        /** Single requests try it out. */
        TRIAL
    }

    /** The number of a request that is no trial. */
    public static final int NO_TRIAL = 0;

    /**
     * How it stands, as one value.
     *
     * @param why what it was ejected for, or null where it never was
     * @param sinceMillis when that began, of the epoch
     * @param sinceNanos when that began, of the Workers' clock
     * @param untilNanos when an ejection is over
     * @param placed whether it takes one of the places of nodes that may be out at once
     * @param trialsBefore where it is tried out: trials up to that number were of earlier times
     */
    record Standing(
            State state,
            @Nullable Cause why,
            long sinceMillis,
            long sinceNanos,
            long untilNanos,
            boolean placed,
            int trialsBefore) {
        Standing(State state, @Nullable Cause why, long sinceMillis, long sinceNanos, long untilNanos, boolean placed) {
            this(state, why, sinceMillis, sinceNanos, untilNanos, placed, 0);
        }

        /** Whether what came of that trial says how the node is now: it began since the node is tried out. */
        boolean isTriedBy(int trial) {
            return state == State.TRIAL && trial != NO_TRIAL && trial - trialsBefore > 0;
        }

        /** The same, with its place left to others. */
        private Standing unplaced() {
            return new Standing(state, why, sinceMillis, sinceNanos, untilNanos, false, trialsBefore);
        }
    }

    /**
     * It would be out for that, were there not as many already.
     *
     * @param fromNanos when that was last found, of the Workers' clock
     */
    record Spared(Cause why, long fromNanos) {}

    /**
     * What went wrong with it.
     *
     * @param why in words
     * @param atMillis of the epoch
     */
    public record Failure(Fault fault, String why, long atMillis) {}

    private final int number;
    private final String name;
    private volatile @Nullable Failure lastFailure;
    private final AtomicReference<Standing> standing;
    private final AtomicReference<NodeTally[]> tallies = new AtomicReference<>(new NodeTally[0]);
    private final AtomicInteger faultsInRow = new AtomicInteger();
    private final AtomicInteger timeoutsInRow = new AtomicInteger();
    private final AtomicInteger errorsInRow = new AtomicInteger();
    private final AtomicInteger ejections = new AtomicInteger();
    /** What it was said to be ejected for since it was last used, one bit for each {@link Cause}. */
    private final AtomicInteger causesSaid = new AtomicInteger();

    private final AtomicLongArray ejectionsByCause = new AtomicLongArray(Cause.values().length);
    private final Trials trials = new Trials();
    /** Something has gone wrong since it last answered well. */
    private volatile boolean suspect;

    /** Why it would be out, were there not as many already; null where it wouldn't. */
    private volatile @Nullable Spared spared;

    private volatile @Nullable String down;
    /** When a check last found it down, or up again, in milliseconds of the epoch; 0 where none has. */
    private volatile long checkedMillis;
    /** Others are preferred to it. */
    private volatile boolean aside;
    /** Others would be preferred to it, were it well. */
    private volatile boolean unwanted;
    /** When its slow start began, 0 where it has its whole share. */
    private volatile long warmFromNanos;

    /** Which version of HTTP it last agreed on in a handshake; null where that isn't asked of it, or no handshake has ended. */
    private volatile @Nullable HttpVersion agreed;

    /** As it is written, or was found. */
    private volatile NodeConfig written;

    private volatile NodeConfig config;
    private volatile Steering steering = Steering.NONE;
    /** Its Upstream has it no more. */
    private volatile boolean gone;

    /** When that was said, in milliseconds of the epoch; 0 where nothing is. */
    private volatile long steeredMillis;

    Node(int number, NodeConfig config, String name) {
        this.number = number;
        this.written = config;
        this.config = config;
        this.name = name;
        this.standing =
                new AtomicReference<>(new Standing(State.AVAILABLE, null, System.currentTimeMillis(), 0, 0, false));
    }

    /** Its number among all that its Upstream has ever had, from 0: no other one gets it. Nothing is as large as it: it tells nodes apart. */
    public int number() {
        return number;
    }

    /** Where it is, which never changes, and how it is used, which may. */
    public NodeConfig config() {
        return config;
    }

    /** As sigma.json, a file or a name server has it, whatever an operator says. */
    NodeConfig written() {
        return written;
    }

    /** Another weight, zone or group is written, or something else is said by an operator. */
    void configure(NodeConfig now, Steering said) {
        if (!said.equals(steering)) {
            steeredMillis = said.equals(Steering.NONE) ? 0 : System.currentTimeMillis();
            steering = said;
        }
        written = now;
        config = said.of(now);
    }

    /** What an operator says of it. */
    public Steering steering() {
        return steering;
    }

    /** Whether an operator has said that it gets nothing new. */
    public boolean isBarred() {
        return steering.isBarred();
    }

    /** Which version of HTTP it last agreed on in a handshake; null where that isn't asked of it, or not known yet. */
    public @Nullable HttpVersion agreed() {
        return agreed;
    }

    /** It has agreed on that one. Returns whether that is new. */
    public boolean agreed(HttpVersion version) {
        boolean other = agreed != version;
        agreed = version;
        return other;
    }

    /** As logs and counters call it. */
    public String name() {
        return name;
    }

    /** Whether requests are given to it as a matter of course. */
    public boolean isAvailable() {
        return down == null && standing.get().state == State.AVAILABLE && !isBarred();
    }

    /** Whether requests may be given to it, where those that aren't available are used as well or not. */
    public boolean isUsed(boolean panicking) {
        return isAvailable() || (panicking && !isBarred());
    }

    /** Whether what waits for it for long is better off elsewhere: it isn't well, or an operator has ejected it. */
    public boolean isLeft() {
        return down != null || standing.get().state != State.AVAILABLE || steering.use() == Steering.Use.EJECTED;
    }

    /** Whether it isn't given requests while others take them: a backup, or in another zone. */
    public boolean isAside() {
        return aside;
    }

    /**
     * Whether it wouldn't be given requests if it were well: then there is no need to find out. A node of the first group is wanted
     * while backups take its requests, though it is kept aside meanwhile.
     */
    public boolean isUnwanted() {
        return unwanted;
    }

    /** Whether a request may find out if it is well: it is out for what its own requests have shown, and would be used, were it well. */
    public boolean isOnTrial() {
        return standing.get().state == State.TRIAL && down == null && !unwanted && !isBarred();
    }

    /** How its own answers have it stand. */
    public State state() {
        return standing.get().state;
    }

    /** Whether a check has found it down. */
    public boolean isDown() {
        return down != null;
    }

    /** Why a check has found it down; null where none has. */
    @Nullable String downWhy() {
        return down;
    }

    /** Why it isn't available, or is spared; empty where neither holds. */
    public String why() {
        Steering.Use said = steering.use();
        if (said != Steering.Use.FREE) {
            return said == Steering.Use.DRAINED ? "drained by an operator" : "ejected by an operator";
        }
        String found = down;
        Standing now = standing.get();
        if (found != null) {
            return found;
        }
        if (now.state == State.AVAILABLE) {
            return spared != null ? "would be ejected, but as many nodes are out as may be" : "";
        }
        return now.why == null ? "" : now.why.text();
    }

    /** When it came to stand as it does, in milliseconds of the epoch. */
    public long sinceMillis() {
        if (isBarred()) {
            return steeredMillis;
        }
        return down != null ? checkedMillis : Math.max(standing.get().sinceMillis, checkedMillis);
    }

    /** How often it was ejected since it last kept well for long. */
    public int ejectionCount() {
        return ejections.get();
    }

    /** How often it was ejected for that, ever. */
    @SuppressWarnings("EnumOrdinal") // Counted by ordinals within one run.
    public long ejectionCount(Cause why) {
        return ejectionsByCause.get(why.ordinal());
    }

    /** What all Workers have counted of it. */
    public NodeCounts counts() {
        return NodeCounts.of(tallies.get());
    }

    /** How many requests and sessions are under way to it, over all Workers. */
    public long inFlight() {
        long all = 0;
        for (NodeTally tally : tallies.get()) {
            all += tally.inFlight();
        }
        return all;
    }

    /** Whether something has gone wrong since it last answered well. */
    public boolean isSuspect() {
        return suspect;
    }

    /** How long ago an answer of it last began, on whichever Worker; {@link Long#MAX_VALUE} where none has. */
    public long quietNanos(long nowNanos) {
        long least = Long.MAX_VALUE;
        for (NodeTally tally : tallies.get()) {
            long answered = tally.answeredNanos();
            least = answered == 0 ? least : Math.min(least, nowNanos - answered);
        }
        return least;
    }

    /** What that Worker counts, whichever of its roads lead here. */
    public NodeTally tally(int worker) {
        return tallies.updateAndGet(before -> worker < before.length ? before : with(before, worker))[worker];
    }

    private static NodeTally[] with(NodeTally[] before, int worker) {
        NodeTally[] more = Arrays.copyOf(before, worker + 1);
        for (int i = before.length; i < more.length; i++) {
            more[i] = new NodeTally();
        }
        return more;
    }

    NodeTally[] tallies() {
        return tallies.get();
    }

    // Moved by Ejection

    Standing standing() {
        return standing.get();
    }

    boolean move(Standing from, Standing to) {
        return standing.compareAndSet(from, to);
    }

    /** Its Upstream has it no more: it never comes back, another one of its host and port may. */
    void leave() {
        gone = true;
    }

    /** Whether it counts among those that may be out: else it has no place, or is about to leave it. */
    boolean isCounted() {
        return !gone && !isBarred();
    }

    /** Leaves its place to others, however it stands. Whether it had one. */
    boolean giveUpPlace() {
        Standing now = standing.get();
        while (now.placed) {
            if (standing.compareAndSet(now, now.unplaced())) {
                return true;
            }
            now = standing.get();
        }
        return false;
    }

    /** What that one has shown holds for this one, of the same host and port; how it stands is said apart. Before anybody knows it. */
    void takeOver(Node before) {
        faultsInRow.set(before.faultsInRow.get());
        timeoutsInRow.set(before.timeoutsInRow.get());
        errorsInRow.set(before.errorsInRow.get());
        ejections.set(before.ejections.get());
        causesSaid.set(before.causesSaid.get());
        suspect = before.suspect;
        spared = before.spared;
        lastFailure = before.lastFailure;
        warmFromNanos = before.warmFromNanos;
    }

    /** It answered well. */
    void answeredWell() {
        if (suspect) {
            suspect = false;
            faultsInRow.set(0);
            timeoutsInRow.set(0);
            errorsInRow.set(0);
        }
    }

    /** It answered, whatever that said. */
    void answered() {
        faultsInRow.set(0);
        timeoutsInRow.set(0);
    }

    /** Whether its answers would have it ejected, were there not as many out already: it takes little then. */
    public boolean isSpared() {
        return spared != null;
    }

    /** Why it is; null where it isn't. */
    @Nullable Spared spared() {
        return spared;
    }

    /** It is for that from now on, or isn't any more. Returns whether it changes that it is. */
    boolean spare(@Nullable Spared now) {
        boolean other = (spared == null) != (now == null);
        spared = now;
        return other;
    }

    /** Something went wrong with it, now. */
    public void failed(Fault fault, String why) {
        lastFailure = new Failure(fault, why, System.currentTimeMillis());
    }

    /** What went wrong last; null where nothing has. */
    public @Nullable Failure lastFailure() {
        return lastFailure;
    }

    /** Whether the last try on it failed, for all that is known: nothing has been answered since. */
    public boolean isFailing() {
        return faultsInRow.get() > 0 || timeoutsInRow.get() > 0;
    }

    // Each is marked after it was counted: an answer beside it that finds the mark takes both back, or neither.

    int countFault() {
        int row = faultsInRow.incrementAndGet();
        suspect = true;
        return row;
    }

    int countTimeout() {
        int row = timeoutsInRow.incrementAndGet();
        suspect = true;
        return row;
    }

    int countError() {
        int row = errorsInRow.incrementAndGet();
        suspect = true;
        return row;
    }

    /** It was ejected so many times more, of those that make its next ejection longer. */
    void countEjections(int more) {
        ejections.addAndGet(more);
    }

    /** It was ejected for that. */
    @SuppressWarnings("EnumOrdinal") // As above.
    void countEjection(Cause why) {
        ejectionsByCause.incrementAndGet(why.ordinal());
    }

    void forgetEjections() {
        ejections.set(0);
    }

    /** Whether it wasn't said yet that it is out for that, since it was last used. */
    boolean isNews(Cause why) {
        int bit = 1 << why.ordinal();
        return (causesSaid.getAndUpdate(said -> said | bit) & bit) == 0;
    }

    void forgetNews() {
        causesSaid.set(0);
    }

    Trials trials() {
        return trials;
    }

    void down(@Nullable String why) {
        if ((why == null) != (down == null)) {
            checkedMillis = System.currentTimeMillis();
        }
        down = why;
    }

    void keepAside(boolean unused, boolean evenIfWell) {
        aside = unused;
        unwanted = evenIfWell;
    }

    long warmFromNanos() {
        return warmFromNanos;
    }

    void warmFrom(long nanos) {
        warmFromNanos = nanos;
    }
}
