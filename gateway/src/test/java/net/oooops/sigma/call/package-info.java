/**
 * Calls of Bolt through a whole gateway, with real sockets at both ends.
 *
 * <p>Place in the flow: tests of {@code bolt.BoltFlow}, {@code bolt} and {@code route.CallRoutes} together.
 */
@NullMarked
package net.oooops.sigma.call;

import org.jspecify.annotations.NullMarked;
