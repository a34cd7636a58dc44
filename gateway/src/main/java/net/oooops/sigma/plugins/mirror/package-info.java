/**
 * The plugin {@code mirror}: sends copies of requests to other nodes, and throws the answers away.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.mirror;

import org.jspecify.annotations.NullMarked;
