/**
 * The plugin {@code error-pages}: bodies of one's own for answers that tell of an error.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.errorpages;

import org.jspecify.annotations.NullMarked;
