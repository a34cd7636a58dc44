/**
 * The road of a call of Bolt, the protocol of SOFARPC: {@link net.oooops.sigma.bolt.BoltFlow} names its stages. Frames of versions 1 and 2 are
 * views over received bytes; connections read and write them in bulk, and clients share those to nodes.
 *
 * <p>Place in the flow: it is that of Bolt. {@code snapshot} makes a {@link net.oooops.sigma.bolt.BoltRoad} for each Worker, {@code listen}
 * gives it connections; {@code health} asks nodes for signs of life with its frames. Everything here runs on the event loop of one Worker.
 */
@NullMarked
package net.oooops.sigma.bolt;

import org.jspecify.annotations.NullMarked;
