package net.oooops.sigma.balance;

import java.util.List;
import java.util.function.LongSupplier;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import org.jspecify.annotations.Nullable;

/**
 * Picks the node of an upstream that takes a request or a session. Nodes are the numbers from 0 in the order written.
 *
 * <p>Whoever asks tells how it goes on, in this order: {@link #started}; {@link #heard} once, with what came of it first; for an
 * answer that breaks off later once more, with {@link Heard#BREAK}; {@link #ended}. For a session {@link #alive}, in between, as often
 * as the node says something.
 *
 * <p>Belongs to one event loop and knows only what that one sends. Allocates nothing after it is made.
 */
public interface Balancer {
    /** What came of a request that was given to a node, or of a session. */
    enum Heard {
        /** Its answer began, or its connection was opened. */
        ANSWER,
        /** No answer came, or one that says that the node failed. However quickly: it's never better than an answer. */
        FAILURE,
        /** Neither: it was given up before, or whether there is an answer can't be known. Had it come, it would have taken longer. */
        NOTHING,
        /** The answer that had begun broke off. */
        BREAK
    }

    /**
     * The node for the next request or try, or -1 where all are in {@code context}. Counts nothing: {@link #started} follows when the
     * request is really given to the node.
     */
    int pick(PickContext context);

    /**
     * The node that a key leads the request to, of those that aren't in {@code context}; -1 where it goes by none, and any will do.
     * Changes nothing.
     */
    default int keyed(PickContext context) {
        return -1;
    }

    /** A request was given to the node. To be followed by one {@link #ended}. */
    default void started(int node) {}

    /**
     * Something came of a request that was given to the node, or certainly nothing.
     *
     * @param afterNanos how long after {@link #started}; of no meaning with {@link Heard#BREAK}
     */
    default void heard(int node, Heard heard, long afterNanos) {}

    /** The node said something within a session that had been heard of before. Called for each read: it has to cost next to nothing. */
    default void alive(int node) {}

    /** A request that was given to the node is over, in whichever way. */
    default void ended(int node) {}

    /**
     * A balancer over the nodes of an upstream.
     *
     * @param upstream how nodes are chosen
     * @param nodes with weights of at least 1 each
     * @param seed another for each Worker, such as its number: so that they don't all begin with the same node
     * @param clockNanos a monotonic clock, such as that of the event loop; first read when there is something to be timed
     * @throws IllegalArgumentException where there is no node, a weight below 1, or nothing to hash by
     */
    static Balancer of(UpstreamConfig upstream, List<NodeConfig> nodes, int seed, LongSupplier clockNanos) {
        int[] weights = nodes.stream().mapToInt(NodeConfig::weight).toArray();
        List<String> names = nodes.stream().map(NodeConfig::hostAndPort).toList();
        Balancer balancer = switch (upstream.ruleStrategy()) {
            case ROUND_ROBIN -> new RoundRobin(weights, seed);
            case RANDOM -> new RandomChoice(weights, seed);
            case LEAST_CONNECTIONS -> new LeastConnections(weights, seed, clockNanos);
            case P2C -> new TwoChoices(weights, seed, clockNanos);
            case SOURCE_HASH -> new SourceHash(new Rendezvous(names, weights));
            case CONSISTENT_HASH ->
                new ConsistentHash(
                        new Rendezvous(names, weights), new RoundRobin(weights, seed), required(upstream.hash()));
        };
        return upstream.sticky() == null ? balancer : new Sticky(balancer, weights.length);
    }

    private static HashConfig required(@Nullable HashConfig hash) {
        if (hash == null) {
            throw new IllegalArgumentException("hash: none (expected: one beside consistent-hash)");
        }
        return hash;
    }
}
