package net.oooops.sigma.proxy;

import java.util.List;
import net.oooops.sigma.config.RetryConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * Where a matched request goes, compiled: everything that an exchange needs from there on, nothing to be looked up.
 *
 * @param routerId the id of the Router that has the Route, for logs and plugins
 * @param routeId the Route's id, unique within the Router
 * @param parameters what its path calls its segments
 * @param chain all plugins on the way, of server, router, route and proxy-pass
 * @param whole which bodies are collected on the way
 * @param forwarding what becomes of the forwarding fields
 * @param upstream where it goes; null where plugins alone answer, and in the plan that requests without a Route follow
 * @param affinity what leads a client's requests to the same node of it
 * @param preserveHost whether the client's Host goes on; else the node's authority takes its place
 * @param responseTimeoutNanos until a response begins, counted from the end of its request
 * @param idleTimeoutNanos between two parts of a response
 * @param retry when it is tried again
 * @param tunnel what its connection may be switched to
 * @param targets where plugins on the way may send it instead, each with the same plugins
 * @param callees the same proxy-passes for what plugins ask on their own account, each without plugins
 */
public record RoutePlan(
        String routerId,
        String routeId,
        PathParameters parameters,
        Chain chain,
        WholeBodies whole,
        Forwarding forwarding,
        @Nullable Upstream upstream,
        Affinity affinity,
        boolean preserveHost,
        long responseTimeoutNanos,
        long idleTimeoutNanos,
        RetryConfig retry,
        TunnelPlan tunnel,
        List<Target> targets,
        List<Target> callees) {
    /**
     * Another way that a request of the Route may go, or that its plugins may send requests of their own.
     *
     * @param proxyPassId by which plugins name it
     * @param plan without targets of its own
     */
    public record Target(String proxyPassId, RoutePlan plan) {}

    public RoutePlan {
        targets = List.copyOf(targets);
        callees = List.copyOf(callees);
    }

    /** The same of another Route of the Router; not where it has targets, which know their Route. */
    public RoutePlan of(String otherId, PathParameters others) {
        return new RoutePlan(
                routerId,
                otherId,
                others,
                chain,
                whole,
                forwarding,
                upstream,
                affinity,
                preserveHost,
                responseTimeoutNanos,
                idleTimeoutNanos,
                retry,
                tunnel,
                targets,
                callees);
    }

    /** The same, with these targets and callees. */
    public RoutePlan withTargets(List<Target> others, List<Target> asked) {
        return new RoutePlan(
                routerId,
                routeId,
                parameters,
                chain,
                whole,
                forwarding,
                upstream,
                affinity,
                preserveHost,
                responseTimeoutNanos,
                idleTimeoutNanos,
                retry,
                tunnel,
                others,
                asked);
    }

    /** That target; null where there is none of that id. Allocates nothing. */
    public @Nullable RoutePlan target(String proxyPassId) {
        return find(targets, proxyPassId);
    }

    /** That callee; null where there is none of that id. Allocates nothing. */
    public @Nullable RoutePlan callee(String proxyPassId) {
        return find(callees, proxyPassId);
    }

    private static @Nullable RoutePlan find(List<Target> among, String proxyPassId) {
        for (int i = 0; i < among.size(); i++) {
            if (among.get(i).proxyPassId().equals(proxyPassId)) {
                return among.get(i).plan();
            }
        }
        return null;
    }

    /** The Upstream's id, for logs and plugins; empty where there is none. */
    public String upstreamId() {
        return upstream == null ? "" : upstream.id();
    }
}
