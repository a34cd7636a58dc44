/**
 * The plugin {@code forward-auth}: has another server say whether a request may pass, and whom it is from.
 *
 * <p>Place in the flow: a plugin of the chain, before those that want to know whom a request is from. Its factory is called on the thread that compiles a
 * configuration, the plugin on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.authentication.forwardauth;

import org.jspecify.annotations.NullMarked;
