/**
 * Races looked for on purpose. A class named {@code …Races} beside what it looks at has models: a few threads that do to one object what threads of a gateway do, and
 * what has to hold after all of them. Each {@link net.oooops.sigma.races.Race} is run under many schedules by Fray, which lets one thread go on at a time and chooses
 * which, in a JVM of its own, whose classes are instrumented.
 */
@NullMarked
package net.oooops.sigma.races;

import org.jspecify.annotations.NullMarked;
