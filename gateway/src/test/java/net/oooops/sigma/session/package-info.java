/**
 * Sessions of layer 4 through a whole gateway, with real sockets at both ends.
 *
 * <p>Place in the flow: tests of {@code tcp.TcpFlow}, {@code tcp} and the plugins of sessions together.
 */
@NullMarked
package net.oooops.sigma.session;

import org.jspecify.annotations.NullMarked;
