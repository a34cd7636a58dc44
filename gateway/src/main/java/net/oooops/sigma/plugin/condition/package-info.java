/**
 * Conditions of plugins, and texts that plugins make of an exchange: expressions in CEL (Common Expression Language), type-checked when the configuration is
 * read.
 *
 * <p>Place in the flow: {@link net.oooops.sigma.plugin.PluginCatalog} compiles a condition on the thread that reads the configuration;
 * {@link net.oooops.sigma.plugin.ConditionedPlugin} asks it on the exchange's event loop. Where no plugin has either, nothing of this package, nor
 * of the library behind it, is loaded.
 */
@NullMarked
package net.oooops.sigma.plugin.condition;

import org.jspecify.annotations.NullMarked;
