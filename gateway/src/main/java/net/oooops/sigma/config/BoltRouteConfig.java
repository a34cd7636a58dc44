package net.oooops.sigma.config;

import java.util.List;

/**
 * One match of calls and where it leads. Conditions that are empty always hold.
 *
 * @param routerId the router it stands in
 * @param id unique within its router
 * @param className exact, or a prefix that ends in {@code *}; empty for any
 * @param headers all of them must hold; names are compared as written
 * @param proxyPassId the id of a proxy-pass
 * @param timeoutNanos how long a call may take at most
 */
public record BoltRouteConfig(
        String routerId, String id, String className, List<ValueMatch> headers, String proxyPassId, long timeoutNanos) {

    public BoltRouteConfig {
        headers = List.copyOf(headers);
    }
}
