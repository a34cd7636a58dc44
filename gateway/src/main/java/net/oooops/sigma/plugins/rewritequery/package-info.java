/**
 * The plugin {@code rewrite-query}: adds, sets, removes and renames parameters of queries.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.rewritequery;

import org.jspecify.annotations.NullMarked;
