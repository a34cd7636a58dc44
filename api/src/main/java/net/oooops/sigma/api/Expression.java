package net.oooops.sigma.api;

import org.jspecify.annotations.Nullable;

/**
 * A text that is made of an exchange, as sigma.json says in CEL: {@link PluginContext#expression}. Compiled and type-checked once; what an evaluation costs
 * is bounded. Two of the same text are equal.
 *
 * <p>Immutable, any thread.
 */
@FunctionalInterface
public interface Expression {
    /** What it comes to; null where it can't be evaluated for that exchange. */
    @Nullable String text(Exchange exchange);
}
