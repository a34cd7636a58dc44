/**
 * TCP connections on epoll, with fewer system calls than Netty's own channels make for each connection: what the kernel hands down from the socket that
 * listens isn't set again, nothing is asked that nobody wants to know, and a connection enters and leaves epoll's set by as few calls as can be. And the
 * sockets that they come by.
 *
 * <p>Place in the flow: beneath the stages, which see a Netty channel like any other. Called by Netty, on the event loop that
 * owns the connection.
 */
@NullMarked
package net.oooops.sigma.epoll;

import org.jspecify.annotations.NullMarked;
