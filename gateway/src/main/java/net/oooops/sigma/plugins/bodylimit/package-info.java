/**
 * The plugin {@code body-limit}: bounds bodies of requests.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.bodylimit;

import org.jspecify.annotations.NullMarked;
