/**
 * The JVM's gateways that {@code lab/lab gateways} compares with Sigma, in this module and those beside it: each its
 * own program, with nothing of Sigma's in it. The lab builds and starts them; nothing depends on them.
 */
@NullMarked
package net.oooops.sigma.lab.gateways;

import org.jspecify.annotations.NullMarked;
