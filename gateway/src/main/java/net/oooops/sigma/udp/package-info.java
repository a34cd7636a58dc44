/**
 * The road of datagrams: {@link net.oooops.sigma.udp.UdpFlow} names its stages. Beside it, sockets of UDP on every transport, and the table of
 * the clients that have a session.
 *
 * <p>Place in the flow: it is that of UDP. {@code snapshot} makes a {@link net.oooops.sigma.udp.UdpRoad} for each Worker, {@code control}
 * binds a Listener's sockets there. Everything here runs on the event loop of one Worker.
 */
@NullMarked
package net.oooops.sigma.udp;

import org.jspecify.annotations.NullMarked;
