/**
 * A gateway that takes the place of another one without a connection being lost: the one that runs starts it ({@link
 * net.oooops.sigma.control.upgrade.Successor}), and passes it what it listens on ({@link net.oooops.sigma.control.upgrade.Predecessor}).
 *
 * <p>Place in the flow: beside it. {@code cli} calls it. Threads: those of its callers, which it may keep waiting.
 */
@NullMarked
package net.oooops.sigma.control.upgrade;

import org.jspecify.annotations.NullMarked;
