/**
 * Datagrams: sockets of UDP on every transport, and the table of the clients that have a session.
 *
 * <p>Place in the flow: {@code control} binds a Listener's sockets on each Worker, {@code flow.UdpFlow} reads them and opens the
 * socket of each session. Everything here runs on the event loop of one Worker. What a datagram is for, and which node gets it,
 * isn't known here.
 */
@NullMarked
package net.oooops.sigma.udp;

import org.jspecify.annotations.NullMarked;
