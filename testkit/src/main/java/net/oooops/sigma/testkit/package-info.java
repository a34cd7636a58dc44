/**
 * What tests of the gateway and of plugins are written with: a raw-socket client, a scripted upstream, a manual clock and a
 * leak gate.
 *
 * <p>Place in the flow: outside of it, on both ends. {@link net.oooops.sigma.testkit.RawClient} is the downstream,
 * {@link net.oooops.sigma.testkit.ScriptedUpstream} the upstream of a gateway that runs between them over real sockets.
 *
 * <p>Called by tests, on their own thread. The upstream runs each connection on a virtual thread of its own. Blocking is right
 * here, and every wait has a deadline.
 */
@NullMarked
package net.oooops.sigma.testkit;

import org.jspecify.annotations.NullMarked;
