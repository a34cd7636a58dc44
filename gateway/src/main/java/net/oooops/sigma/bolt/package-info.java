/**
 * Bolt, the protocol of SOFARPC: frames of versions 1 and 2 as views over received bytes, and connections that read and write
 * them in bulk.
 *
 * <p>Place in the flow: {@code flow.BoltFlow} has one {@link net.oooops.sigma.bolt.FrameConnection} for each client, and a few
 * for each node. Everything here runs on the one event loop of its connection. Which node a request goes to, and what an answer
 * belongs to, isn't known here.
 */
@NullMarked
package net.oooops.sigma.bolt;

import org.jspecify.annotations.NullMarked;
