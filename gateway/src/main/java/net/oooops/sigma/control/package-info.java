/**
 * Starting, watching and stopping a gateway: transport, Workers, listening sockets, drain.
 *
 * <p>Place in the flow: beside it, never in it. {@code cli} calls it; it deploys one {@link net.oooops.sigma.Sigma} verticle for each
 * event loop. Runs on threads of its caller and may block, unlike the data plane, which knows nothing of it.
 */
@NullMarked
package net.oooops.sigma.control;

import org.jspecify.annotations.NullMarked;
