/**
 * The plugin {@code respond}: answers requests with what sigma.json says.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.respond;

import org.jspecify.annotations.NullMarked;
