/**
 * Plugins that others have built: the jars of a folder, each with a class loader of its own.
 *
 * <p>Beside the road: {@link net.oooops.sigma.plugin.PluginCatalog} reads the folder with {@link net.oooops.sigma.plugin.jars.DropIns} when the gateway starts or
 * reads its configuration again, on the thread that does that. What is made of them is on the road like any other plugin.
 */
@NullMarked
package net.oooops.sigma.plugin.jars;

import org.jspecify.annotations.NullMarked;
