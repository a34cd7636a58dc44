/**
 * The plugin {@code server-version}: keeps what says which server and version answers from clients.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.serverversion;

import org.jspecify.annotations.NullMarked;
