package net.oooops.sigma.testkit;

import java.io.IOException;

/**
 * One thing that a {@link ScriptedUpstream} does on a connection. An {@link Answer} and a whole {@link Script} are steps too; a
 * lambda is one for all that they can not do.
 */
@FunctionalInterface
public interface Step {
    /**
     * Does it. Runs on the connection's own virtual thread, and may block.
     *
     * @throws IOException when the connection ends, which ends the script and is no failure
     * @throws InterruptedException when the upstream is closed meanwhile
     */
    void run(UpstreamConnection connection) throws IOException, InterruptedException;
}
