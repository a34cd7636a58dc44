/**
 * Measurements: microbenchmarks of single stages, and experiments beside other proxies. Stands outside the road of a request, runs on threads
 * of its own; nothing depends on it.
 */
@NullMarked
package net.oooops.sigma.lab;

import org.jspecify.annotations.NullMarked;
