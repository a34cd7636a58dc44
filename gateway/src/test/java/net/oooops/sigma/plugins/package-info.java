/** Built-in plugins, each by itself and all of them together. */
@NullMarked
package net.oooops.sigma.plugins;

import org.jspecify.annotations.NullMarked;
