/**
 * Clients and servers of SOFABolt and SOFARPC, each a program of its own: nodes that a test can kill, and the load of the lab. None of them knows
 * the gateway, which runs in another process, on another Netty.
 */
@NullMarked
package net.oooops.sigma.interop;

import org.jspecify.annotations.NullMarked;
