/**
 * The chain of plugins on a Route: which plugins there are, and for each step of an exchange those that asked for it.
 *
 * <p>Place in the flow: after {@code route}, before {@code balance}; on the response's way in reverse. {@link
 * net.oooops.sigma.plugin.PluginCatalog} is called by snapshot on the thread that compiles a configuration, {@link
 * net.oooops.sigma.plugin.Chain} is made there and read by the roads on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugin;

import org.jspecify.annotations.NullMarked;
