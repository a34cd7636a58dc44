package net.oooops.sigma.proxy;

import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.http.ProtocolNames;

/**
 * What connections may be switched to on the way of a Route, and for how long bytes then pass.
 *
 * @param protocols that clients may ask for
 * @param idleNanos without a byte, either way
 * @param lifetimeNanos from the switch; 0 for as long as both sides like
 */
public record TunnelPlan(ProtocolNames protocols, long idleNanos, long lifetimeNanos) {
    /** No connection is switched. */
    public static final TunnelPlan NONE = new TunnelPlan(ProtocolNames.NONE, 0, 0);

    /** What sigma.json says. */
    public static TunnelPlan of(TunnelConfig config) {
        return new TunnelPlan(ProtocolNames.of(config.protocols()), config.idleTimeoutNanos(), config.lifetimeNanos());
    }
}
