/**
 * Signed tokens: what they say, what they are signed with, and what is asked of both (JWS, RFC 7515; JWK, RFC 7517; JWT, RFC 7519). For the plugins that
 * take such tokens: of clients ({@code jwt}) and of providers ({@code oidc}).
 */
@NullMarked
package net.oooops.sigma.plugins.authentication.jose;

import org.jspecify.annotations.NullMarked;
