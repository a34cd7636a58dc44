/**
 * Names: what name servers say of hosts and of services, asked once for the whole process and kept.
 *
 * <p>Place in the flow: who opens a connection to a node ({@code upstream}) or checks one ({@code health}) reads the addresses of a name of
 * {@link net.oooops.sigma.names.HostAddresses}, on its own event loop; services are asked for by {@code control}. Who asks name servers is
 * the {@link net.oooops.sigma.names.NameAsker}, on an event loop of its own, which {@code control} gives it. Nodes aren't known here.
 */
@NullMarked
package net.oooops.sigma.names;

import org.jspecify.annotations.NullMarked;
