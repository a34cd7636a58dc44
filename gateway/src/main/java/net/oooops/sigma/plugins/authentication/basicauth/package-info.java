/**
 * The plugin {@code basic-auth}: lets requests with a known user and password in (RFC 7617), and says whose they are.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop; passwords are hashed on threads of their own, {@code Hashing}.
 */
@NullMarked
package net.oooops.sigma.plugins.authentication.basicauth;

import org.jspecify.annotations.NullMarked;
