/**
 * Sessions: bytes between a client's connection and a node's, passed on unread, and the PROXY protocol headers before them.
 *
 * <p>Place in the flow: {@code flow.TcpFlow} gives it each client connection that {@code listen} accepted, and the node's once it
 * is open. Everything here runs on the one event loop of both connections. Which node it is, and why a session ends, isn't known
 * here.
 */
@NullMarked
package net.oooops.sigma.tcp;

import org.jspecify.annotations.NullMarked;
