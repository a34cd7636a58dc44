/**
 * The client's side of the wire, tested with raw bytes against a real gateway with a scripted upstream behind it.
 *
 * <p>Place in the flow: beside it. Each test stands for one thing that RFC 9110 or RFC 9112 asks of a proxy, or one attack on it.
 * Tests run on JUnit's thread.
 */
@NullMarked
package net.oooops.sigma.wire;

import org.jspecify.annotations.NullMarked;
