/**
 * The plugin {@code key-auth}: lets requests with a known key in, and says whose it is.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.authentication.keyauth;

import org.jspecify.annotations.NullMarked;
