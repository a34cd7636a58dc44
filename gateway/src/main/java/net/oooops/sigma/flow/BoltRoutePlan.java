package net.oooops.sigma.flow;

/**
 * Where a matched call goes, compiled.
 *
 * @param routeId the Route's id, for logs
 * @param upstream the Upstream's number in {@link BoltPlan#upstreams}
 * @param upstreamId the Upstream's id, for logs
 * @param timeoutNanos how long a call may take at most
 */
public record BoltRoutePlan(String routeId, int upstream, String upstreamId, long timeoutNanos) {}
