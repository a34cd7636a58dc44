/**
 * Redis for plugins: a few connections for the whole process, on an event loop of their own, each with many commands under way.
 *
 * <p>Place in the flow: beside the road of a request. Plugins send commands on the event loops of Workers, which hand them over and never wait; answers come
 * on the event loop of this package. {@link net.oooops.sigma.redis.RedisClients} is told by a Snapshot that begins what sigma.json says. Where no plugin
 * asks for a Redis there is no event loop, no connection, and nothing of this package is loaded but that class.
 *
 * <p>The protocol is RESP2. It is read here, and not by a library, since what comes is bounded here: ADR 0041.
 */
@NullMarked
package net.oooops.sigma.redis;

import org.jspecify.annotations.NullMarked;
