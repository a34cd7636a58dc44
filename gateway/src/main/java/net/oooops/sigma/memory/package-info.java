/**
 * What connections use up together: the memory of received bytes that wait to be sent, in all connections of a Worker, and the process's
 * file descriptors.
 *
 * <p>Place in the flow: {@code runtime.Worker} has one {@link net.oooops.sigma.memory.RelayMemory}; what passes bytes on, {@code tcp} and
 * {@code http1}, tells it of each write, and reads as it says. What goes on whole or not at all, frames of Bolt and collected bodies, has a
 * {@link net.oooops.sigma.memory.HeldMemory} for each kind. {@link net.oooops.sigma.memory.Descriptors} tells failures for want of a
 * descriptor from others.
 */
@NullMarked
package net.oooops.sigma.memory;

import org.jspecify.annotations.NullMarked;
