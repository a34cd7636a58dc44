/**
 * The words that a user types: {@code sigma run}, {@code check}, {@code explain}, {@code fmt}, {@code schema}, {@code version}, and those
 * that ask a running gateway.
 *
 * <p>Place in the flow: before its beginning and after its end. {@link net.oooops.sigma.cli.Main} is called by the JVM; commands
 * read sigma.json through {@code config}, compile it with {@code snapshot} and start and stop a gateway through {@code control}.
 * Everything runs on the main thread, but for what {@code run} makes ready beside reading, signals, and what a running gateway
 * is asked.
 */
@NullMarked
package net.oooops.sigma.cli;

import org.jspecify.annotations.NullMarked;
