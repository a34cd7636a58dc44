/**
 * A running gateway is asked, and steered, through a Unix socket in a folder of its user's: who may speak is decided by the rights of folder and file.
 *
 * <p>Place in the flow: beside it, never in it. {@code cli} opens a {@link net.oooops.sigma.control.socket.ControlSocket} for {@code run} and gives it what can be
 * asked, each a {@link net.oooops.sigma.control.socket.Steered}; its other commands find the socket by {@link net.oooops.sigma.control.socket.LivingGateways} and
 * ask through {@link net.oooops.sigma.control.socket.SocketClient}. Threads of its own, which may wait; no event loop knows of it.
 */
@NullMarked
package net.oooops.sigma.control.socket;

import org.jspecify.annotations.NullMarked;
