package net.oooops.sigma.config;

import org.jspecify.annotations.Nullable;

/**
 * How it is found out which nodes of an upstream can be used.
 *
 * @param active what nodes are asked now and then, or null where they aren't
 */
public record HealthConfig(@Nullable ActiveCheckConfig active) {

    /** What holds where nothing is written. */
    public static final HealthConfig DEFAULT = new HealthConfig(null);
}
