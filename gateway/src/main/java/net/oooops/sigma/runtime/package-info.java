/**
 * What one event loop owns: the {@link net.oooops.sigma.runtime.Worker} with its {@link net.oooops.sigma.runtime.Road roads}, what each
 * of them is given ({@link net.oooops.sigma.runtime.LoopContext}), and what they have alike: a Worker's part of an Upstream, sessions,
 * the log of failures.
 *
 * <p>Place in the flow: below every road, which it knows by its interface only. {@code control} makes Workers, {@code snapshot} their
 * roads. Everything runs on the Worker's event loop, where nothing else is said.
 */
@NullMarked
package net.oooops.sigma.runtime;

import org.jspecify.annotations.NullMarked;
