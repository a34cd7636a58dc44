/**
 * The configurations that took effect, kept so that one can be had back.
 *
 * <p>Place in the flow: beside it. Whoever has a configuration take effect adds it to the {@link net.oooops.sigma.control.history.History}; a rollback reads its
 * files from there. Any thread; all of it blocks.
 */
@NullMarked
package net.oooops.sigma.control.history;

import org.jspecify.annotations.NullMarked;
