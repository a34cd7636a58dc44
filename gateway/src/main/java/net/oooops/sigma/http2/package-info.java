/**
 * HTTP/2 (RFC 9113): frames, header compression (HPACK, RFC 7541), windows, and the streams that exchanges are carried on.
 *
 * <p>Place in the flow: between the sockets and {@code proxy}, beside {@code http1}. {@link net.oooops.sigma.http2.Http2ServerConnection} is
 * the Netty handler; frames and header blocks are read by pure steps beneath it. {@code proxy} sees the streams of {@code http} and
 * implements {@link net.oooops.sigma.http2.Http2Server}. All of it runs on the event loop that owns the connection.
 */
@NullMarked
package net.oooops.sigma.http2;

import org.jspecify.annotations.NullMarked;
