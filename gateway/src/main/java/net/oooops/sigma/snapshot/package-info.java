/**
 * The compiled form of one sigma.json: from the validated records to what the Workers follow.
 *
 * <p>Place in the flow: before it. {@code control} calls it on the thread that starts the gateway, and {@code cli} for explain;
 * nothing here runs for a request.
 */
@NullMarked
package net.oooops.sigma.snapshot;

import org.jspecify.annotations.NullMarked;
