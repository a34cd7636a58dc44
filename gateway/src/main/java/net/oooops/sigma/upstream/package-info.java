/**
 * The nodes' side: pools of connections, one for each Node on each Worker, and how connections to a node are opened.
 *
 * <p>Place in the flow: after {@code balance} chose a node, a road asks its pool for a connection. Everything here
 * belongs to one Worker and is called on its event loop only, where nothing else is said: what is known of nodes is the process's.
 * Where their names lead is asked of {@code names}. What a connection carries isn't known here.
 */
@NullMarked
package net.oooops.sigma.upstream;

import org.jspecify.annotations.NullMarked;
