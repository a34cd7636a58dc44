/**
 * Upstreams whose nodes change while a whole gateway runs: by a file, or by what name servers say.
 *
 * <p>Place in the flow: tests of {@code control}, {@code upstream} and {@code proxy} together.
 */
@NullMarked
package net.oooops.sigma.nodes;

import org.jspecify.annotations.NullMarked;
