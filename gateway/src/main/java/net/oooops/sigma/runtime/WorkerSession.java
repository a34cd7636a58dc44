package net.oooops.sigma.runtime;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.balance.PickContext;
import org.jspecify.annotations.Nullable;

/** A session of whichever protocol, as its Worker and the access log see it. */
public interface WorkerSession extends Session, PickContext {
    /** The gateway's time to drain is over. */
    void cut();

    /** When it began, by the Worker's clock. */
    long startNanos();

    /** How many bytes of the node's were passed on. */
    long bytesToClient();

    /** How many bytes were received and wait to be sent. */
    long waitingBytes();

    /** So much waits, in all connections, that each is to be read a little at a time. */
    void onMemoryShort();

    /** Why it failed, null where it did not. */
    @Nullable Fault fault();

    /** What the access log is to say of it beside why it failed; nothing more where that is null. */
    void note(@Nullable String text);

    /** All that was said so, or null. */
    @Nullable String note();

    /** The version of TLS on the client's connection, null where TLS doesn't end here. */
    default @Nullable String tlsVersion() {
        return null;
    }

    /** The host that its client asks for in its handshake (SNI), null where that isn't known. */
    default @Nullable String host() {
        return null;
    }

    /** The id of its Route, null where none has taken it. */
    default @Nullable String routeId() {
        return null;
    }

    /** The id of its Upstream, null where none was chosen. */
    @Nullable String upstreamId();

    /** The node of the last try, null where none was tried. */
    @Nullable WorkerNode lastNode();

    /** How many nodes it was tried on. */
    int attempts();
}
