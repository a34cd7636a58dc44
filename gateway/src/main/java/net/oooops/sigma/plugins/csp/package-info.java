/**
 * The plugin {@code csp}: names what a page may load and run (W3C Content Security Policy Level 3).
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.csp;

import org.jspecify.annotations.NullMarked;
