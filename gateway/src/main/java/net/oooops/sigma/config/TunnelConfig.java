package net.oooops.sigma.config;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What clients' connections may be switched to (RFC 9110 section 7.8), and for how long bytes then pass.
 *
 * @param protocols their names as written, which letter case doesn't matter for
 * @param idleTimeoutNanos without a byte, either way; both sides are reset
 * @param lifetimeNanos from the switch; 0 for as long as both sides like
 */
public record TunnelConfig(List<String> protocols, long idleTimeoutNanos, long lifetimeNanos) {
    /** What holds where sigma.json says nothing. */
    public static final TunnelConfig DEFAULT = new TunnelConfig(List.of("websocket"), TimeUnit.HOURS.toNanos(1), 0);

    public TunnelConfig {
        protocols = List.copyOf(protocols);
    }
}
