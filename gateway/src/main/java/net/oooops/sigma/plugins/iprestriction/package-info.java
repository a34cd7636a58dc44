/**
 * The plugin {@code ip-restriction}: lets sessions begin by where their client is.
 *
 * <p>Place in the flow: a plugin of the chain of a TCP server. Its factory is called on the thread that compiles a configuration,
 * the plugin on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.iprestriction;

import org.jspecify.annotations.NullMarked;
