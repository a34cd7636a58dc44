/**
 * The plugins {@code http-redirect-https}, which sends clients that came over http to https, and {@code https-degrade-http}, the way back.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.redirecthttps;

import org.jspecify.annotations.NullMarked;
