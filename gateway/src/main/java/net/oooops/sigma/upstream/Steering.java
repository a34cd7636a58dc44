package net.oooops.sigma.upstream;

import net.oooops.sigma.config.NodeConfig;

/**
 * What an operator says of a node while Sigma runs: it holds until the operator says something else, whatever sigma.json says.
 *
 * @param weight instead of the one that is written, 1 to {@link NodeConfig#WEIGHT_MAX}; {@link #WRITTEN}: that one
 * @param use whether it gets requests and sessions
 */
public record Steering(int weight, Use use) {
    /** The weight is the one that is written. */
    public static final int WRITTEN = 0;

    /** Nothing is said. */
    public static final Steering NONE = new Steering(WRITTEN, Use.FREE);

    /** Whether a node gets requests and sessions. */
    public enum Use {
        /** As it stands otherwise. */
        FREE,
        /** No new ones, not even where few nodes are available: what is under way comes to its end. */
        DRAINED,
        /** The same, and what waits there for long goes to other nodes, as far as it may. */
        EJECTED
    }

    public Steering {
        if (weight < WRITTEN || weight > NodeConfig.WEIGHT_MAX) {
            throw new IllegalArgumentException("weight: " + weight + " (expected: 1 to " + NodeConfig.WEIGHT_MAX + ")");
        }
    }

    /** The same with another weight. */
    public Steering withWeight(int other) {
        return new Steering(other, use);
    }

    /** The same with another use. */
    public Steering withUse(Use other) {
        return new Steering(weight, other);
    }

    /** Whether the node gets nothing new. */
    public boolean isBarred() {
        return use != Use.FREE;
    }

    /** The node that is written, as it is used. */
    NodeConfig of(NodeConfig written) {
        return weight == WRITTEN || weight == written.weight()
                ? written
                : new NodeConfig(written.host(), written.port(), weight, written.backup(), written.zone());
    }

    /** In words, for the log and whoever asked. */
    public String text() {
        String used = switch (use) {
            case FREE -> "used";
            case DRAINED -> "drained";
            case EJECTED -> "ejected";
        };
        return weight == WRITTEN ? used : used + ", with weight " + weight;
    }
}
