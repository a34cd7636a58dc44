/**
 * Time of a Worker: one clock, read once per loop turn, and one wheel of deadlines; and whether a peer takes in time what it is sent.
 *
 * <p>Place in the flow: beneath the stages, which read the clock and hang their deadlines into the wheel. Everything here
 * belongs to one event loop and is called on it only.
 */
@NullMarked
package net.oooops.sigma.time;

import org.jspecify.annotations.NullMarked;
