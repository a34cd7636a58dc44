/**
 * HTTP/1.0 and HTTP/1.1 framing, both sides (RFC 9112): heads as views over received bytes, bodies as slices, everything
 * written anew from what was understood.
 *
 * <p>Place in the flow: between the sockets and {@code proxy}. {@link net.oooops.sigma.http1.ServerConnection} and
 * {@link net.oooops.sigma.http1.ClientConnection} are the Netty handlers; the parsers and decoders are pure steps beneath them.
 * {@code proxy} is called through {@link net.oooops.sigma.http1.ServerExchange} and
 * {@link net.oooops.sigma.http1.ClientExchange}. All of it runs on the event loop that owns the connection.
 */
@NullMarked
package net.oooops.sigma.http1;

import org.jspecify.annotations.NullMarked;
