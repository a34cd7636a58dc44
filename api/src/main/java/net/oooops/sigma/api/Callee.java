package net.oooops.sigma.api;

import java.util.concurrent.CompletionStage;

/**
 * A proxy-pass that a plugin asks something when it has no exchange: {@link PluginContext#callee}. Balancing, health, pools, TLS, timeouts and retries are
 * those of the proxy-pass, and of what it is at that time: where sigma.json says something else at a reload, calls go there from then on.
 *
 * <p>Nobody asks but the gateway: nodes get no forwarding fields, only {@code Via}, and as {@code Host} their own address unless the callout says {@linkplain
 * Callout#host another} and the proxy-pass preserves it. What a callout says of an exchange ({@link Callout#detached}) is how long it may take.
 *
 * <p>Safe for use from any thread.
 */
public interface Callee {
    /**
     * Sends a request, whose answer comes whole. Where there is none the stage fails with a {@link CalloutException}: at once where the gateway doesn't follow
     * the configuration yet, as in {@link Plugin#start}, or where sigma.json is only checked. The stage is completed on an event loop of the gateway's, or on
     * the thread that calls: what depends on it must not block. A {@linkplain PluginContext#timer timer's} task may wait for it.
     *
     * <p>A call that doesn't say how long it may take ends after a minute. All end where the plugin is closed. No call holds back the end of the gateway.
     */
    CompletionStage<Response> call(Callout callout);
}
