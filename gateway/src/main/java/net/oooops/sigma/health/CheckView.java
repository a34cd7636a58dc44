package net.oooops.sigma.health;

/**
 * What is known of a node by its checks.
 *
 * @param upstreamId of its upstream
 * @param node its host and port
 * @param state what follows
 * @param why the last check failed; empty where it passed, or none has ended
 * @param sinceMillis when the state began, milliseconds since 1970
 * @param passedCount checks that passed
 * @param failedCount checks that failed
 * @param latencyNanos how long the last check took that passed; 0 where none did
 */
public record CheckView(
        String upstreamId,
        String node,
        State state,
        String why,
        long sinceMillis,
        long passedCount,
        long failedCount,
        long latencyNanos) {

    /** What checks say of a node. */
    public enum State {
        /** No check has ended. */
        UNKNOWN,
        HEALTHY,
        UNHEALTHY
    }
}
