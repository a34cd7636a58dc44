/**
 * The plugin {@code csrf}: refuses requests that change something and that a page of another site has its visitors send.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.csrf;

import org.jspecify.annotations.NullMarked;
