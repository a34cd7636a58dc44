/**
 * Tests of whole exchanges: a gateway between raw clients and scripted upstreams, over real sockets. Faults, retries, pools,
 * balancing, bodies, plugins, drain.
 *
 * <p>Place in the flow: around it. JUnit calls it; everything runs on the test's own threads, outside of the gateway's loops.
 */
@NullMarked
package net.oooops.sigma.exchange;

import org.jspecify.annotations.NullMarked;
