/**
 * The plugin {@code http-redirect-https}: sends clients that came over http to https.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop.
 */
@NullMarked
package net.oooops.sigma.plugins.redirecthttps;

import org.jspecify.annotations.NullMarked;
