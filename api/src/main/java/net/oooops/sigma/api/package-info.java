/**
 * What a plugin author compiles against: {@link net.oooops.sigma.api.Plugin} and its factory, the view of an
 * {@link net.oooops.sigma.api.Exchange}, the heads, the outcomes and the faults.
 *
 * <p>Place in the flow: the gateway's stages call plugins through these types. Methods of an exchange, its heads and its
 * body are called on the event loop that owns the exchange; while an exchange is parked for a blocking plugin they may be
 * called from that plugin's virtual thread instead, never from both at once.
 */
@NullMarked
package net.oooops.sigma.api;

import org.jspecify.annotations.NullMarked;
