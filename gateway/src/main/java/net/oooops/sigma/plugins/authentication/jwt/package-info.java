/**
 * The plugin {@code jwt}: lets requests with a signed token in (JWS, RFC 7515; JWT, RFC 7519; as RFC 8725 advises), and says whose it is.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop; keys are fetched, and files read, on threads of their own. Signatures are verified by the system's libcrypto, or the
 * JDK.
 */
@NullMarked
package net.oooops.sigma.plugins.authentication.jwt;

import org.jspecify.annotations.NullMarked;
