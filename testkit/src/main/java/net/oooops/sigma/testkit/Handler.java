package net.oooops.sigma.testkit;

/** What a {@link ScriptedUpstream} does with each request, whatever the connection. */
@FunctionalInterface
public interface Handler {
    /**
     * Says what to answer. Runs on the connection's own virtual thread, may block, and may be called on many threads at once.
     *
     * @return an {@link Answer}, a {@link Script}, or any other step
     * @throws InterruptedException when the upstream is closed meanwhile
     */
    Step answer(ReceivedRequest request) throws InterruptedException;
}
