/**
 * The plugin {@code x-frame}: says whether pages may show a response in a frame (RFC 7034).
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.xframe;

import org.jspecify.annotations.NullMarked;
