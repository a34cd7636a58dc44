/**
 * Microbenchmarks of single stages, with JMH. Started by {@code lab/jmh}, on JMH's threads; stands outside the road of a request.
 */
@NullMarked
package net.oooops.sigma.lab.jmh;

import org.jspecify.annotations.NullMarked;
