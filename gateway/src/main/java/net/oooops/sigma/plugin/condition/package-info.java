/**
 * Conditions of plugins: expressions in CEL (Common Expression Language) over an exchange, type-checked when the configuration is read.
 *
 * <p>Place in the flow: {@link net.oooops.sigma.plugin.PluginCatalog} compiles a condition on the thread that reads the configuration;
 * {@link net.oooops.sigma.plugin.ConditionedPlugin} asks it on the exchange's event loop. Where no plugin has one, nothing of this package, nor
 * of the library behind it, is loaded.
 */
@NullMarked
package net.oooops.sigma.plugin.condition;

import org.jspecify.annotations.NullMarked;
