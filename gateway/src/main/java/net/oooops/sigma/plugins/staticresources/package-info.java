/**
 * The plugin {@code static-resources}: answers with files of a folder.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop; folders are looked at, and files opened, on threads of its own.
 */
@NullMarked
package net.oooops.sigma.plugins.staticresources;

import org.jspecify.annotations.NullMarked;
