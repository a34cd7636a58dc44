/**
 * The plugin {@code set-cookie}: changes the attributes of cookies that nodes set.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.setcookie;

import org.jspecify.annotations.NullMarked;
