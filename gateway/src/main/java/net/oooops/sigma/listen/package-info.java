/**
 * Bound sockets: how a Listener is bound on each Worker, and which transport drives sockets at all.
 *
 * <p>Place in the flow: its beginning. Binding happens on the thread that starts the gateway; accepted connections run on their
 * Worker's event loop.
 */
@NullMarked
package net.oooops.sigma.listen;

import org.jspecify.annotations.NullMarked;
