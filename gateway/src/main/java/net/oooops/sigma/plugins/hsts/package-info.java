/**
 * The plugin {@code hsts}: tells browsers to come back over https only (RFC 6797).
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.hsts;

import org.jspecify.annotations.NullMarked;
