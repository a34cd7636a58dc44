package net.oooops.sigma.config;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How a matched request, or a session, is forwarded.
 *
 * @param id unique among proxy-passes
 * @param upstreamId the id of an upstream
 * @param plugins in the order written
 * @param responseTimeoutNanos from the request being sent until the head of the answer is there
 * @param idleTimeoutNanos between two reads of the answer's body
 * @param preserveHost whether the client's Host goes to the node, rather than the node's own authority
 * @param proxyProtocol the header that a session's node gets before anything else
 * @param retry when a request is tried again
 * @param tunnel what a client's connection may be switched to
 */
public record ProxyPassConfig(
        String id,
        String upstreamId,
        List<PluginConfig> plugins,
        long responseTimeoutNanos,
        long idleTimeoutNanos,
        boolean preserveHost,
        ProxyProtocol proxyProtocol,
        RetryConfig retry,
        TunnelConfig tunnel) {

    /** The {@link #responseTimeoutNanos} where none is given. */
    public static final long RESPONSE_TIMEOUT_NANOS_DEFAULT = TimeUnit.SECONDS.toNanos(30);

    /** The {@link #idleTimeoutNanos} where none is given. */
    public static final long IDLE_TIMEOUT_NANOS_DEFAULT = TimeUnit.SECONDS.toNanos(60);

    public ProxyPassConfig {
        plugins = List.copyOf(plugins);
    }

    /** One that says nothing of trying again, nor of other protocols. */
    public ProxyPassConfig(
            String id,
            String upstreamId,
            List<PluginConfig> plugins,
            long responseTimeoutNanos,
            long idleTimeoutNanos,
            boolean preserveHost,
            ProxyProtocol proxyProtocol) {
        this(
                id,
                upstreamId,
                plugins,
                responseTimeoutNanos,
                idleTimeoutNanos,
                preserveHost,
                proxyProtocol,
                RetryConfig.DEFAULT,
                TunnelConfig.DEFAULT);
    }
}
