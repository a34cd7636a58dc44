package net.oooops.sigma.flow;

import net.oooops.sigma.plugin.Chain;

/**
 * Where a matched request goes, compiled: everything that an exchange needs from there on, nothing to be looked up.
 *
 * @param routeId the Route's id, for logs and plugins
 * @param chain all plugins on the way, of server, router, route and proxy-pass
 * @param whole which bodies are collected on the way
 * @param forwarding what becomes of the forwarding fields
 * @param upstreamId the Upstream's id, for logs and plugins
 * @param upstream the Upstream's number in {@link GatewayPlan#httpUpstreams}, or {@link #NOWHERE}
 * @param affinity what leads a client's requests to the same node of it
 * @param preserveHost whether the client's Host goes on; else the node's authority takes its place
 * @param responseTimeoutNanos until a response begins, counted from the end of its request
 * @param idleTimeoutNanos between two parts of a response
 */
public record RoutePlan(
        String routeId,
        Chain chain,
        WholeBodies whole,
        Forwarding forwarding,
        String upstreamId,
        int upstream,
        Affinity affinity,
        boolean preserveHost,
        long responseTimeoutNanos,
        long idleTimeoutNanos) {
    /** The number of no Upstream: of the plan that requests without a Route follow. */
    public static final int NOWHERE = -1;
}
