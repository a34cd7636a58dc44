package net.oooops.sigma.config;

import org.jspecify.annotations.Nullable;

/**
 * How it is found out which nodes of an upstream can be used.
 *
 * @param active what nodes are asked now and then, or null where they aren't
 * @param passive how nodes are judged by the traffic that they get
 */
public record HealthConfig(@Nullable ActiveCheckConfig active, PassiveConfig passive) {

    /** What holds where nothing is written. */
    public static final HealthConfig DEFAULT = new HealthConfig(null, PassiveConfig.DEFAULT);

    /** One that says nothing of how nodes are judged by their traffic. */
    public HealthConfig(ActiveCheckConfig active) {
        this(active, PassiveConfig.DEFAULT);
    }
}
