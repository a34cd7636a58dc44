/**
 * Certificates with their private keys, as files hold them: PEM as Certbot and openssl write it, PKCS #12 and Java's key stores; and
 * self-signed ones; and what is asked and answered about them by OCSP. Knows the JDK only, and Bouncy Castle where one is to be made or asked about.
 *
 * <p>Place in the flow: {@code config} reads what sigma.json names, once to check it and once to keep it; {@code control} reads it again
 * when files change. Any thread; reading blocks.
 */
@NullMarked
package net.oooops.sigma.certificate;

import org.jspecify.annotations.NullMarked;
