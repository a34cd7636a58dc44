/**
 * The plugin {@code cors}: lets scripts of other origins read responses (WHATWG Fetch, section 3.2, CORS protocol).
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.cors;

import org.jspecify.annotations.NullMarked;
