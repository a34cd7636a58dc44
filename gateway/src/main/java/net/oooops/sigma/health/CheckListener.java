package net.oooops.sigma.health;

/**
 * Is told how checks of nodes ended, and when a node became healthy or unhealthy by that. A node is named by its upstream's id and by
 * {@link net.oooops.sigma.config.NodeConfig#hostAndPort}.
 *
 * <p>Called on the checker's event loop, which has to go on: it may not wait. {@link #up} and {@link #down} are called after the
 * {@link #passed} or {@link #failed} of the check that made the difference, and where {@link HealthChecker#tellAgain} asks for it.
 */
public interface CheckListener {
    /**
     * A check passed.
     *
     * @param latencyNanos from its beginning, connecting included
     */
    void passed(String upstreamId, String node, long latencyNanos);

    /**
     * A check failed.
     *
     * @param why for an operator: what was found and, where it isn't plain, what was expected
     */
    void failed(String upstreamId, String node, String why);

    /** The very first check of a node passed, or as many in a row as an unhealthy node needs. */
    void up(String upstreamId, String node);

    /**
     * The very first check of a node failed, or as many in a row as a healthy node may not have.
     *
     * @param why that of the last one
     */
    void down(String upstreamId, String node, String why);

    /** It is checked no longer: what was told of it doesn't hold any more. */
    void unchecked(String upstreamId, String node);
}
