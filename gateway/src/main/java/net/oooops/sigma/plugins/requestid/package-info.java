/**
 * The plugin {@code request-id}: gives requests an id.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.requestid;

import org.jspecify.annotations.NullMarked;
