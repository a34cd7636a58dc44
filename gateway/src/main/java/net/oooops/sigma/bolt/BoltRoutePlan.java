package net.oooops.sigma.bolt;

import net.oooops.sigma.upstream.Upstream;

/**
 * Where a matched call goes, compiled.
 *
 * @param routeId the Route's id, for logs
 * @param upstream where it goes
 * @param timeoutNanos how long a call may take at most
 */
public record BoltRoutePlan(String routeId, Upstream upstream, long timeoutNanos) {}
