/**
 * The plugin {@code client-certificate}: lets requests in whose connection was begun with a known certificate, and says whose it is.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop. That a certificate is one to be trusted was verified in the handshake.
 */
@NullMarked
package net.oooops.sigma.plugins.authentication.clientcertificate;

import org.jspecify.annotations.NullMarked;
