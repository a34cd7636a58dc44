/**
 * The road of a request: {@link net.oooops.sigma.proxy.HttpProxy} names the stages in their order and is the class to read first.
 * The stages themselves (framing, routing, plugins, balancing, pools, counters) don't know each other; here they are put
 * together.
 *
 * <p>Place in the flow: it is the flow. {@code snapshot} compiles the plans that it follows and makes a {@link
 * net.oooops.sigma.proxy.HttpRoad} for each Worker, {@code listen} gives it connections. Everything runs on the event loop of one
 * {@code runtime.Worker}, except blocking plugins, which run on virtual threads with their exchange parked.
 */
@NullMarked
package net.oooops.sigma.proxy;

import org.jspecify.annotations.NullMarked;
