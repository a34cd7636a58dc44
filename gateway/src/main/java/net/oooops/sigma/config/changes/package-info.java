/**
 * What is different in two configurations, by name: pure, and without any value of theirs.
 *
 * <p>Place in the flow: beside it. Who reads a changed sigma.json asks {@link net.oooops.sigma.config.changes.ConfigDiff} before or after it takes effect, and
 * shows the {@link net.oooops.sigma.config.changes.Changes}. Any thread.
 */
@NullMarked
package net.oooops.sigma.config.changes;

import org.jspecify.annotations.NullMarked;
