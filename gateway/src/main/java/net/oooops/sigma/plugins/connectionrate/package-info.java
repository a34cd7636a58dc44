/**
 * The plugin {@code connection-rate}: bounds how many sessions a client may begin in a time.
 *
 * <p>Place in the flow: a plugin of the chain of a TCP server. Its factory is called on the thread that compiles a configuration,
 * the plugin on every event loop; what it remembers of clients is shared by all of them.
 */
@NullMarked
package net.oooops.sigma.plugins.connectionrate;

import org.jspecify.annotations.NullMarked;
