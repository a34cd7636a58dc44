/**
 * The plugin {@code headers}: removes, sets and adds header fields of requests and responses.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.headers;

import org.jspecify.annotations.NullMarked;
