/**
 * Which node of an upstream takes a request or a session.
 *
 * <p>Place in the flow: after the plugins' request phase, before a connection is asked for, and again for every further try.
 * {@code snapshot} says which strategy; each Worker makes a {@link net.oooops.sigma.balance.Balancer} of its own for every upstream, and
 * a road calls it on that Worker's event loop. Knows nodes by number only.
 */
@NullMarked
package net.oooops.sigma.balance;

import org.jspecify.annotations.NullMarked;
