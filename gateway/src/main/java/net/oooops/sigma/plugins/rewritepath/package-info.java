/**
 * The plugin {@code rewrite-path}: replaces the first match of a regexp in the path.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.rewritepath;

import org.jspecify.annotations.NullMarked;
