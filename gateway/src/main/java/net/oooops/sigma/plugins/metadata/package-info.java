/**
 * The plugin {@code metadata}: fixed keys and values of a route, for plugins that follow, the access log and nodes.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.metadata;

import org.jspecify.annotations.NullMarked;
