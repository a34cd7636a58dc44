/**
 * TLS on the clients' side: which certificate a client is shown, its handshake, and how an encrypted connection ends.
 *
 * <p>Place in the flow: {@code listen} accepts; a {@link net.oooops.sigma.tls.TlsHandshake} stands in the connection's pipeline until it is
 * encrypted, and hands it to the road then, which sees bytes as on a plain connection. Called on the connection's event loop; what is shared
 * by Workers, {@link net.oooops.sigma.tls.ServerTls}, on any thread.
 */
@NullMarked
package net.oooops.sigma.tls;

import org.jspecify.annotations.NullMarked;
