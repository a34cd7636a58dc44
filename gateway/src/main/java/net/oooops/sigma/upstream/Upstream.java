package net.oooops.sigma.upstream;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.tls.NodeTls;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An Upstream as all Workers share it: its nodes with their health, and its retry budget. Kept by the {@link NodeRegistry}, so that it
 * outlives plans: where another sigma.json says other things of it, it is configured anew, and what was said before of parts that are the
 * same goes on. So its parts are asked for each time that they are needed, and what is taken of one is given back to that one.
 *
 * <p>Any thread, {@link #tick} always the same one.
 */
public final class Upstream {
    private static final Logger LOG = LoggerFactory.getLogger(Upstream.class);

    private final int number;
    private final SteeredNodes steered;
    private final Roster roster;
    private final Ejection ejection;
    private final @Nullable NodeTls tls;
    private final Layers layers;
    private final AtomicLong panics = new AtomicLong();
    private final OneAtATime settling = new OneAtATime();
    private final OneAtATime arranging = new OneAtATime();
    private final AtomicLong changes = new AtomicLong();
    private final Freshness freshness = new Freshness();
    private volatile UpstreamConfig config;
    private volatile RetryBudget budget;
    private volatile @Nullable Breaker breaker;
    private volatile List<Node> nodes;
    /** The nodes of which each takes its whole share; null where not all of them do. */
    private volatile @Nullable List<Node> whole;

    private volatile OnTrial onTrial = OnTrial.NONE;
    private volatile boolean panicking;
    /** Whether another one earns the retries that this one had. */
    private volatile boolean budgetPassed;
    /** Whether another one's breaker goes on from this one's. */
    private volatile boolean guardPassed;

    /** As of the last tick. */
    private @Nullable Demand demand;

    Upstream(UpstreamConfig config, int number, SteeredNodes steered) {
        this.config = config;
        this.number = number;
        this.tls = config.tls() == null ? null : new NodeTls(config.tls());
        this.steered = steered;
        this.roster = new Roster(steered, config.id(), config.nodes(), config::authority);
        this.nodes = roster.arrange(roster.wanted().nodes(), List.of());
        this.ejection = new Ejection(this, config.health().passive());
        this.budget = budget(config);
        this.breaker = breaker(config, null);
        this.layers =
                new Layers(config.id(), config.zone(), config.health().passive().panicPercent());
        settle();
    }

    private static RetryBudget budget(UpstreamConfig config) {
        return new RetryBudget(config.budget().percent(), config.budget().perSecondMin());
    }

    private static @Nullable Breaker breaker(UpstreamConfig config, @Nullable Breaker before) {
        return config.breaker().isOff() ? null : new Breaker(config.id(), config.breaker(), before);
    }

    /** What sigma.json says of it; another one where that has changed. Its nodes are {@link #nodes}, whoever says so. */
    public UpstreamConfig config() {
        return config;
    }

    /**
     * Whether it can be what that says and stay what it is: connections lead to the same kind of nodes, and nodes come from the same
     * place.
     */
    boolean fits(UpstreamConfig now) {
        UpstreamConfig before = config;
        return before.id().equals(now.id()) && before.discovery().equals(now.discovery()) && before.isSpokenToAs(now);
    }

    /**
     * It is what that says from now on; what it {@link #fits}. One thread at a time.
     *
     * @param gone nodes that others had until now: those that come by that go on as they were
     */
    void configure(UpstreamConfig now, Predecessors gone) {
        UpstreamConfig before = config;
        if (now.equals(before)) {
            return;
        }
        config = now;
        ejection.configure(now.health().passive());
        layers.configure(now.zone(), now.health().passive().panicPercent());
        if (!now.budget().equals(before.budget())) {
            budget = budget(now);
        }
        if (!now.breaker().equals(before.breaker())) {
            breaker = breaker(now, breaker);
        }
        if (now.health().active() == null) {
            // Nobody would find out that one is up again.
            nodes.forEach(node -> node.down(null));
        }
        if (now.discovery() instanceof Discovery.Written) {
            arrangeIf(roster.want(now.nodes(), gone));
        }
        settle();
    }

    /** Whose place its next nodes take. */
    Predecessors predecessors() {
        return roster.wanted().predecessors();
    }

    /** Its id. */
    public String id() {
        return config.id();
    }

    /**
     * Its number in the {@link NodeRegistry}: a Worker's place for what it has of its own of this Upstream. Another one may get it after
     * it was retired.
     */
    public int number() {
        return number;
    }

    /** Its nodes, in the order written or found. Another list where they have changed. */
    public List<Node> nodes() {
        return nodes;
    }

    /** By which nodes leave and come back. */
    public Ejection ejection() {
        return ejection;
    }

    /** How many requests may be sent again. */
    public RetryBudget budget() {
        return budget;
    }

    /** What keeps it from taking more than it should; null where nothing does. */
    public @Nullable Breaker breaker() {
        return breaker;
    }

    /** How connections to its nodes are encrypted; null where they aren't. */
    public @Nullable NodeTls tls() {
        return tls;
    }

    /** Whether every node takes its whole share. */
    public boolean isWhole() {
        return isWhole(nodes);
    }

    /**
     * Whether each of those takes its whole share: then nothing has to be asked of any. False where other ones have taken their place: of one that
     * is gone nothing is said by that.
     *
     * @param known a list that {@link #nodes} was
     */
    @SuppressWarnings("ReferenceEquality") // Others are there only where something has changed.
    public boolean isWhole(List<Node> known) {
        return whole == known;
    }

    /**
     * The places in that list of those nodes that single requests may try out now.
     *
     * @param known a list that {@link #nodes} was; where it no longer is that, nothing is said
     */
    @SuppressWarnings("ReferenceEquality") // As above.
    public OnTrial onTrial(List<Node> known) {
        OnTrial now = onTrial;
        return now.nodes() == known ? now : OnTrial.NONE;
    }

    /** Whether so few nodes are available that all are used. */
    public boolean isPanicking() {
        return panicking;
    }

    /** How often it came to that. */
    public long panicCount() {
        return panics.get();
    }

    /** How many nodes are available. */
    public int availableCount() {
        int available = 0;
        for (Node node : nodes) {
            available += node.isAvailable() ? 1 : 0;
        }
        return available;
    }

    /**
     * Other nodes take the place of those that there are. One with the host and port of one that there is stays that one, with what is
     * known of it, though its weight, zone or group may be others. Always the same thread.
     *
     * @param now no two with the same host and port; there may be none
     * @return whether that is a change
     */
    public boolean replaceNodes(List<NodeConfig> now) {
        return arrangeIf(roster.want(now));
    }

    private boolean arrangeIf(boolean changed) {
        if (changed) {
            changes.incrementAndGet();
            arrange();
        }
        return changed;
    }

    /** Puts the nodes in place as they are to be. Where another thread is at it, that one does it once more. */
    void arrange() {
        if (arranging.run(this::putInPlace)) {
            settle();
        }
    }

    private void putInPlace() {
        List<Node> before = nodes;
        Roster.Wanted wanted = roster.wanted();
        List<Node> now = roster.arrange(wanted.nodes(), before);
        // Who is gone leaves its place first: one that comes may need it.
        ejection.follow(before, now);
        handOver(wanted.predecessors(), before, now);
        nodes = now;
    }

    private void handOver(Predecessors from, List<Node> before, List<Node> now) {
        from.handOver(before, now, config, ejection);
        if (!now.isEmpty()) {
            roster.handedOver(from);
        }
    }

    /**
     * An operator says how a node is used. That holds until something else is said, also where the node or this Upstream goes and comes
     * back, and where another sigma.json is followed. Where the node is used as it stands from now on, what had it ejected is forgotten.
     *
     * @param hostAndPort of the node: {@link NodeConfig#hostAndPort}
     * @param change makes of what is said already what is to be said: where several speak at once, none of them is lost. May be called more than once
     * @return whether there is such a node: else nothing is done
     */
    public boolean steer(String hostAndPort, UnaryOperator<Steering> change, long nowNanos) {
        if (node(hostAndPort) == null) {
            return false;
        }
        SteeredNodes.Said word = steered.say(id(), hostAndPort, change);
        use(hostAndPort, word, nowNanos);
        // Who speaks may have found this one before another one took its place.
        Upstream there = steered.upstream(id());
        if (there != null && there != this) {
            there.use(hostAndPort, word, nowNanos);
        }
        steered.said();
        return true;
    }

    /** That was said of a node: where it is there, or comes, it is used so. */
    void use(String hostAndPort, SteeredNodes.Said words, long nowNanos) {
        Node node = node(hostAndPort);
        if (node == null) {
            // Another thread may be about to have it.
            arrange();
            return;
        }
        Steering said = words.now();
        boolean returns = returns(node, words);
        if (words.before().equals(said) && !returns) {
            return;
        }
        arrange();
        forget(node, said, returns, nowNanos);
        settle();
        LOG.info("upstream {} node {}: {}, as an operator says", id(), node.name(), said.text());
    }

    /**
     * That was said elsewhere, and holds here from now on.
     *
     * @param changes by the node's host and port
     */
    void hear(Map<String, SteeredNodes.Said> changes, long nowNanos) {
        arrange();
        for (Node node : nodes) {
            SteeredNodes.Said words = changes.get(node.written().hostAndPort());
            if (words != null) {
                forget(node, words.now(), returns(node, words), nowNanos);
            }
        }
        settle();
    }

    private static boolean returns(Node node, SteeredNodes.Said words) {
        Steering said = words.now();
        return said.use() == Steering.Use.FREE
                && (words.before().isBarred() || (said.equals(Steering.NONE) && node.state() != Node.State.AVAILABLE));
    }

    private void forget(Node node, Steering said, boolean returns, long nowNanos) {
        if (said.isBarred() || returns) {
            ejection.forget(node);
        }
        if (returns) {
            ejection.returned(node, nowNanos);
        }
    }

    /** Its nodes are used as operators say, whatever was said when they came. While none come or go. */
    void follow() {
        if (!roster.isFollowed(nodes)) {
            arrange();
        }
    }

    /** Whether there is such a node. */
    boolean has(String hostAndPort) {
        return node(hostAndPort) != null;
    }

    private @Nullable Node node(String hostAndPort) {
        for (Node node : nodes) {
            if (node.config().hostAndPort().equals(hostAndPort)) {
                return node;
            }
        }
        return null;
    }

    /**
     * Its nodes go on as those of the same host and port were until now: those that it has, or the first that are found. They are ejected, where they
     * are spoken to as before; else that may be what was wrong with them, and they are tried out. Before anybody knows this one, so that no request
     * sees it without nodes, or goes to one that is down.
     *
     * @param other one of the same id, whose place it takes; null where there is none
     * @param gone nodes that others had
     */
    void begin(@Nullable Upstream other, Predecessors gone) {
        Predecessors before = other == null ? gone : Predecessors.of(other, gone);
        roster.precede(before);
        handOver(before, List.of(), nodes);
        if (other != null) {
            succeed(other);
        }
        settle();
    }

    /** Takes that one's place: what name servers have said holds here, too, and which nodes are down. */
    private void succeed(Upstream other) {
        List<Node> there = other.nodes();
        if (config.discovery() instanceof Discovery.OfSrv
                && config.discovery().equals(other.config().discovery())) {
            roster.want(there.stream().map(Node::written).toList());
        }
        arrange();
        if (config.health().active() != null) {
            takeOverDown(there);
        }
        if (config.isSpokenToAs(other.config())) {
            takeOverGuards(other);
        }
    }

    private void takeOverGuards(Upstream other) {
        UpstreamConfig before = other.config();
        if (config.budget().equals(before.budget())) {
            budget = other.budget();
            other.budgetPassed = true;
        }
        Breaker guard = other.breaker();
        // Its bounds begin anew: the other one's connections may stay open for long.
        breaker = breaker(config, guard);
        other.guardPassed = guard != null && breaker != null && breaker.goesOnFrom(guard);
    }

    private void takeOverDown(List<Node> others) {
        Map<String, String> down = new HashMap<>();
        for (Node each : others) {
            String why = each.downWhy();
            if (why != null) {
                down.put(each.written().hostAndPort(), why);
            }
        }
        nodes.forEach(node -> node.down(down.get(node.written().hostAndPort())));
    }

    /** Whether its nodes are those that they should be. */
    public Freshness freshness() {
        return freshness;
    }

    /** How often its nodes have changed. */
    public long changeCount() {
        return changes.get();
    }

    /**
     * A check has found that a node is down, or up again.
     *
     * @param why what is wrong with it, or null where it is up
     */
    public void checked(Node node, @Nullable String why, long nowNanos) {
        boolean wasDown = node.isDown();
        node.down(why);
        boolean returns = wasDown && why == null;
        if (returns) {
            ejection.returned(node, nowNanos);
        }
        // Before the log, which may take its time: until then requests go where they went.
        settle();
        if (returns) {
            LOG.info("upstream {} node {}: up again, as its checks say", id(), node.name());
        } else if (!wasDown && why != null) {
            LOG.warn("upstream {} node {}: down, as its checks say ({})", id(), node.name(), why);
        }
    }

    /** A node is checked no longer: what a check has found doesn't keep it down. */
    public void unchecked(Node node, long nowNanos) {
        if (node.isDown()) {
            node.down(null);
            ejection.returned(node, nowNanos);
            settle();
            LOG.info("upstream {} node {}: no longer down, since it is checked no longer", id(), node.name());
        }
    }

    /** Works out anew what is asked for every request. Where another thread is at it, that one does it once more. */
    void settle() {
        settling.run(this::workOut);
    }

    private void workOut() {
        boolean all = true;
        int available = 0;
        int there = 0;
        List<Node> now = nodes;
        for (Node node : now) {
            boolean usable = node.isAvailable();
            available += usable ? 1 : 0;
            there += node.isBarred() ? 0 : 1;
            all &= usable && node.warmFromNanos() == 0 && !node.isSpared();
        }
        Layers.Use use = layers.settle(now);
        ejection.settled(there, use.backup());
        onTrial = OnTrial.among(now);
        boolean few = use.panic();
        if (few && !panicking) {
            panics.incrementAndGet();
            LOG.warn("upstream {}: {} of {} nodes available, so all are used", id(), available, there);
        } else if (!few && panicking) {
            LOG.info("upstream {}: {} of {} nodes available, so only these are used", id(), available, there);
        }
        panicking = few;
        whole = all && !use.aside() ? now : null;
    }

    /** Time has passed. */
    void tick(long nowNanos) {
        Demand now = Demand.of(nodes, nowNanos);
        if (demand != null && !budgetPassed) {
            budget.earn(now.since(demand));
        }
        demand = now;
        ejection.tick(nowNanos);
        Breaker guard = breaker;
        if (guard != null && !guardPassed) {
            guard.tick(nowNanos);
        }
        // A slow start may be over.
        settle();
    }

    @Override
    public String toString() {
        return "upstream " + id();
    }
}
