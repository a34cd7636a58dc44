/** Plugins from jars that are dropped in. */
@NullMarked
package net.oooops.sigma.plugin.jars;

import org.jspecify.annotations.NullMarked;
