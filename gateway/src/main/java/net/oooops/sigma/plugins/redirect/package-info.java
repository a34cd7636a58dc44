/**
 * The plugin {@code redirect}: sends clients elsewhere.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.redirect;

import org.jspecify.annotations.NullMarked;
