/**
 * The plugin {@code oidc}: logs users in at a provider of OpenID Connect (Core 1.0, code flow with PKCE, RFC 7636), and keeps who they are in a cookie that
 * only Sigma can read.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop; the provider is asked by callouts, so no thread waits.
 */
@NullMarked
package net.oooops.sigma.plugins.authentication.oidc;

import org.jspecify.annotations.NullMarked;
