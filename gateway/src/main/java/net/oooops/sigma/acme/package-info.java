/**
 * Certificates that the gateway asks for itself, and renews (ACME, RFC 8555).
 *
 * <p>Place in the flow: beside it, never in it. {@code control} starts and ends it. It has a thread of its own, which may wait, writes what it gets into
 * files, and knows nothing of listeners: {@code control} reads those files as it reads all certificates, and issuers are shown what is in
 * {@link net.oooops.sigma.tls.PendingChallenges}. Its libraries are loaded where a certificate is asked for, and nowhere else.
 */
@NullMarked
package net.oooops.sigma.acme;

import org.jspecify.annotations.NullMarked;
