/**
 * TCP connections on an io_uring, driven with fewer operations than Netty's own: one receive stays armed for as long as a
 * connection is read, and all connections of an event loop receive into the same buffers. And the sockets that they come by.
 *
 * <p>Place in the flow: beneath the stages, which see a Netty channel like any other. Called by Netty, on the event loop that
 * owns the connection.
 */
@NullMarked
package net.oooops.sigma.ring;

import org.jspecify.annotations.NullMarked;
