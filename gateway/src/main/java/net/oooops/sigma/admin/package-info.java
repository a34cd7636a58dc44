/**
 * What those who run Sigma may ask it: metrics, health, nodes.
 *
 * <p>Place in the flow: beside it, never in it. {@code control} starts an {@link net.oooops.sigma.admin.AdminServer} where sigma.json
 * asks for one, on an event loop that isn't a Worker's. It reads what Workers count and what is known of nodes when it is asked;
 * they don't notice.
 */
@NullMarked
package net.oooops.sigma.admin;

import org.jspecify.annotations.NullMarked;
