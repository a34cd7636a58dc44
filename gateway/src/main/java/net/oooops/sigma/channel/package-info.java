/**
 * What Sigma's own channels have in common, whichever transport drives them.
 *
 * <p>Place in the flow: beneath {@code epoll} and {@code ring}, which don't know each other. Called by Netty, on the event loop that owns the connection.
 */
@NullMarked
package net.oooops.sigma.channel;

import org.jspecify.annotations.NullMarked;
