/**
 * The plugin {@code traffic-split}: sends a part of a route's requests to other proxy-passes.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.trafficsplit;

import org.jspecify.annotations.NullMarked;
