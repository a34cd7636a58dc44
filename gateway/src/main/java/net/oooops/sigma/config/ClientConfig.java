package net.oooops.sigma.config;

import java.util.concurrent.TimeUnit;

/**
 * How nodes are connected to.
 *
 * @param maxPoolSizePerServer connections per node over all Workers, shared out among them; {@link #UNBOUNDED}: as many as are of use
 * @param connectTimeoutNanos until a connection stands
 * @param idleTimeoutNanos how long an unused connection is kept; always shorter than what the node announced in Keep-Alive
 * @param maxWaitQueue requests per node over all Workers that may wait for a connection; beyond, another node or 503
 * @param waitTimeoutNanos how long a request waits for a connection before it is answered with 503
 */
public record ClientConfig(
        int maxPoolSizePerServer,
        long connectTimeoutNanos,
        long idleTimeoutNanos,
        int maxWaitQueue,
        long waitTimeoutNanos) {

    /** The {@link #maxPoolSizePerServer} where none is given. */
    public static final int UNBOUNDED = Integer.MAX_VALUE;

    /** What holds where sigma.json says nothing. */
    public static final ClientConfig DEFAULT = new ClientConfig(
            UNBOUNDED, TimeUnit.SECONDS.toNanos(2), TimeUnit.SECONDS.toNanos(55), 100_000, TimeUnit.SECONDS.toNanos(3));
}
