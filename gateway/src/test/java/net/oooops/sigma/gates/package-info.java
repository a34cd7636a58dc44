/**
 * The gates that a compiler does not have: which package may know which, and what keeps the code easy to read. Every rule here has a test of
 * its own that shows it a violation. Called by the test run, on its thread; sees the sources and classes of every module.
 */
@NullMarked
package net.oooops.sigma.gates;

import org.jspecify.annotations.NullMarked;
