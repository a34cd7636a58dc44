package net.oooops.sigma.upstream;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.tls.NodeTls;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An Upstream as all Workers share it: its nodes with their health, and its retry budget. Kept by the {@link NodeRegistry}, so that it
 * outlives plans.
 *
 * <p>Any thread, {@link #tick} always the same one.
 */
public final class Upstream {
    private static final Logger LOG = LoggerFactory.getLogger(Upstream.class);

    private final UpstreamConfig config;
    private final int number;
    private final Ejection ejection;
    private final RetryBudget budget;
    private final @Nullable Breaker breaker;
    private final @Nullable NodeTls tls;
    private final Layers layers;
    private final AtomicLong panics = new AtomicLong();
    /** How often {@link #settle} was called since nobody was at it: who makes it 1 does the work. */
    private final AtomicInteger settling = new AtomicInteger();

    private final AtomicLong changes = new AtomicLong();
    private final Freshness freshness = new Freshness();
    private volatile List<Node> nodes;
    private volatile boolean whole = true;
    private volatile boolean panicking;
    private int numbersGiven;
    private long requestsSeen;
    private long tickNanos;

    Upstream(UpstreamConfig config, int number) {
        this.config = config;
        this.number = number;
        this.tls = config.tls() == null ? null : new NodeTls(config.tls());
        List<Node> made = new ArrayList<>();
        config.nodes().forEach(node -> made.add(node(node)));
        this.nodes = List.copyOf(made);
        this.ejection = new Ejection(this, config.health().passive());
        this.budget = new RetryBudget(config.budget().percent(), config.budget().perSecondMin());
        this.breaker = config.breaker().isOff() ? null : new Breaker(config.id(), config.breaker());
        this.layers =
                new Layers(config.id(), config.zone(), config.health().passive().panicPercent());
        settle();
    }

    private Node node(NodeConfig node) {
        return new Node(numbersGiven++, node, config.authority(node));
    }

    /** What sigma.json says of it. */
    public UpstreamConfig config() {
        return config;
    }

    /** Its id. */
    public String id() {
        return config.id();
    }

    /** Its number in the {@link NodeRegistry}: a Worker's place for what it has of its own of this Upstream. */
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

    /** Whether every node takes its whole share: then nothing has to be asked of any. */
    public boolean isWhole() {
        return whole;
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
        List<Node> before = nodes;
        if (before.stream().map(Node::config).toList().equals(now)) {
            return false;
        }
        Map<String, Node> known = new HashMap<>();
        before.forEach(node -> known.put(node.config().hostAndPort(), node));
        List<Node> after = new ArrayList<>();
        for (NodeConfig each : now) {
            Node kept = known.get(each.hostAndPort());
            if (kept != null) {
                kept.configure(each);
            }
            after.add(kept == null ? node(each) : kept);
        }
        nodes = List.copyOf(after);
        changes.incrementAndGet();
        ejection.recount();
        settle();
        return true;
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
        if (settling.getAndIncrement() != 0) {
            return;
        }
        int seen;
        do {
            seen = settling.get();
            workOut();
        } while (!settling.compareAndSet(seen, 0));
    }

    private void workOut() {
        boolean all = true;
        int available = 0;
        List<Node> now = nodes;
        for (Node node : now) {
            boolean usable = node.isAvailable();
            available += usable ? 1 : 0;
            all &= usable && node.warmFromNanos() == 0 && !node.isSpared();
        }
        Layers.Use use = layers.settle(now);
        boolean few = use.panic();
        if (few && !panicking) {
            panics.incrementAndGet();
            LOG.warn("upstream {}: {} of {} nodes available, so all are used", id(), available, now.size());
        } else if (!few && panicking) {
            LOG.info("upstream {}: {} of {} nodes available, so only these are used", id(), available, now.size());
        }
        panicking = few;
        whole = all && !use.aside();
    }

    /** Time has passed. */
    void tick(long nowNanos) {
        long requests = 0;
        for (Node node : nodes) {
            for (NodeTally tally : node.tallies()) {
                requests += tally.firstTries();
            }
        }
        if (tickNanos != 0) {
            budget.earn(Math.max(0, requests - requestsSeen), nowNanos - tickNanos);
        }
        requestsSeen = requests;
        tickNanos = nowNanos;
        ejection.tick(nowNanos);
        Breaker guard = breaker;
        if (guard != null) {
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
