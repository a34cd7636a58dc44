package net.oooops.sigma.plugins.authentication.oidc;

/**
 * What logins and renewals have to do with a provider.
 *
 * @param client what Sigma is there
 * @param idTokens what is asked of its ID tokens
 */
record Provided(Provider provider, Client client, IdTokens idTokens) {}
