/**
 * Which route a request takes: normalisation of path and host, and the compiled table of routes.
 *
 * <p>Place in the flow: after the head is read and before the first plugin. {@code snapshot} compiles a {@link
 * net.oooops.sigma.route.RouteTable} on the control thread; {@code proxy} asks it on the event loop of the exchange, for
 * every request; {@code cli} asks it to explain itself. Tables are immutable and shared by all Workers, {@link
 * net.oooops.sigma.route.RouteMatch} and {@link net.oooops.sigma.route.PathNormalizer} belong to one Worker each. Knows bytes
 * only: no channel, no buffer, no socket.
 */
@NullMarked
package net.oooops.sigma.route;

import org.jspecify.annotations.NullMarked;
