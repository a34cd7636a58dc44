/**
 * The plugins that say how much: {@code rate-limit} and {@code concurrency-limit} for requests, {@code connection-rate} for sessions. They are of
 * one package for what they have in common: {@link net.oooops.sigma.plugins.limits.Buckets token buckets} by key, what a key is made of, and the
 * bound on how many are remembered.
 *
 * <p>Place in the flow: plugins of the chain of a route, or of a TCP or UDP server. Their factories are called on the thread that compiles a
 * configuration, the plugins on every event loop; what they remember of clients is shared by all of them.
 */
@NullMarked
package net.oooops.sigma.plugins.limits;

import org.jspecify.annotations.NullMarked;
