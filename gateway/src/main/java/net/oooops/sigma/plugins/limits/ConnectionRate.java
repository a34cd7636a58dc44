package net.oooops.sigma.plugins.limits;

import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.api.SessionOutcome;

/**
 * Refuses a client that connects more often than its bucket has tokens. An IPv6 client is known by its first 64 bits, for the rest
 * is its own to choose.
 */
final class ConnectionRate implements Plugin {
    private final Buckets buckets;

    ConnectionRate(Buckets buckets) {
        this.buckets = buckets;
    }

    @Override
    public Needs needs() {
        return Needs.SESSION;
    }

    /** A client that has connected too often isn't let in since other numbers hold. */
    @Override
    public void takeOver(Plugin before) {
        if (before instanceof ConnectionRate there) {
            buckets.takeOver(there.buckets);
        }
    }

    @Override
    public SessionOutcome onSession(Session session) {
        boolean taken = buckets.take(KeyedBy.ADDRESS.of(session.clientAddress()), 1) == 0;
        return taken ? SessionOutcome.CONTINUE : SessionOutcome.REFUSE;
    }
}
