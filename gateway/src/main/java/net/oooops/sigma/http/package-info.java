/**
 * What all versions of HTTP have in common: the heads of messages and their trailers, as bytes and where things stand in them; and the
 * streams that an exchange of {@code proxy} has on both sides.
 *
 * <p>Place in the flow: codecs such as {@code http1} read into a {@link net.oooops.sigma.http.MessageHead} and tell a
 * {@link net.oooops.sigma.http.ServerExchange} or {@link net.oooops.sigma.http.ClientExchange}; {@code proxy} and plugins ask and edit the
 * head, and give it to the {@link net.oooops.sigma.http.ClientStream} or {@link net.oooops.sigma.http.ServerStream} to go on. All of it runs
 * on the event loop that owns the exchange.
 */
@NullMarked
package net.oooops.sigma.http;

import org.jspecify.annotations.NullMarked;
