/**
 * What a native image has to be told, asked without one: what gateways look up by name, in JVMs of their own.
 *
 * <p>Place in the flow: beside it, all roads are taken.
 */
@NullMarked
package net.oooops.sigma.reachability;

import org.jspecify.annotations.NullMarked;
