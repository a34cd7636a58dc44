/**
 * Active checks: one checker for the whole process, which asks each node now and then, and tells what it finds.
 *
 * <p>Place in the flow: beside it, never in it. {@code control} starts and stops it, and hands on what it tells to the Workers.
 * Everything runs on one event loop of its own, which has none of the Workers' sockets; what others may call is said to be for any
 * thread.
 */
@NullMarked
package net.oooops.sigma.health;

import org.jspecify.annotations.NullMarked;
