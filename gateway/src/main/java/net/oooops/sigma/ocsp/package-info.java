/**
 * Has what responders say of the certificates that are shown, so that clients get it with them (OCSP stapling: RFC 6066 section 8, RFC 8446 section 4.4.2.1).
 *
 * <p>Place in the flow: beside it, never in it. {@code control} starts and ends it. It has threads of its own, which may wait; handshakes are shown what is
 * there by then, and wait for nothing.
 */
@NullMarked
package net.oooops.sigma.ocsp;

import org.jspecify.annotations.NullMarked;
