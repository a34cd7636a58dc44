/**
 * HTTP/1.0 and HTTP/1.1 framing, both sides (RFC 9112): received bytes become heads and slices of bodies, and both are
 * framed anew as they are written.
 *
 * <p>Place in the flow: between the sockets and {@code proxy}. {@link net.oooops.sigma.http1.ServerConnection} and
 * {@link net.oooops.sigma.http1.ClientConnection} are the Netty handlers; the parsers and decoders are pure steps beneath them.
 * {@code proxy} sees the streams of {@code http} and implements {@link net.oooops.sigma.http.HttpServer}. All of it runs on the event loop that owns the connection.
 */
@NullMarked
package net.oooops.sigma.http1;

import org.jspecify.annotations.NullMarked;
