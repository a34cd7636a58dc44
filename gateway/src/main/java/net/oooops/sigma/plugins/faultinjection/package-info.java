/**
 * The plugin {@code fault-injection}: delays and fails requests on purpose.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.faultinjection;

import org.jspecify.annotations.NullMarked;
