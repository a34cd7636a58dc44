/**
 * The plugin {@code ip-restriction}: lets requests in, and sessions begin, by where their client is.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration,
 * the plugin on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.iprestriction;

import org.jspecify.annotations.NullMarked;
