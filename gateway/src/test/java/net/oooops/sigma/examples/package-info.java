/**
 * Tests of the files in {@code examples/}: each is valid, a gateway starts from it, and the line that its README gives to try it gets
 * what the README promises.
 *
 * <p>Place in the flow: around it. JUnit calls it; everything runs on the test's own threads, outside of the gateway's loops.
 */
@NullMarked
package net.oooops.sigma.examples;

import org.jspecify.annotations.NullMarked;
