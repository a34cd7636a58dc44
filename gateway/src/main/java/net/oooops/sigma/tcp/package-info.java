/**
 * The road of a session: {@link net.oooops.sigma.tcp.TcpFlow} names its stages. Bytes between a client's connection and a node's pass on
 * unread ({@link net.oooops.sigma.tcp.Relay}), and the PROXY protocol headers before them are read and written.
 *
 * <p>Place in the flow: it is that of TCP. {@code snapshot} makes a {@link net.oooops.sigma.tcp.TcpRoad} for each Worker, {@code listen}
 * gives it connections. Everything here runs on the one event loop of both connections.
 */
@NullMarked
package net.oooops.sigma.tcp;

import org.jspecify.annotations.NullMarked;
