package net.oooops.sigma.plugins.iprestriction;

import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.api.SessionOutcome;

/**
 * Refuses clients in {@code deny}, and, where there is an {@code allow}, all that aren't in it. Allocates nothing.
 *
 * @param allow blocks of clients; empty for all
 * @param deny blocks of clients, stronger than {@code allow}
 * @param refused what requests of those that are refused get
 */
record IpRestriction(Networks allow, Networks deny, Outcome refused) implements Plugin {
    private static final Needs NEEDS = new Needs(true, false, false, BodyNeed.NONE, BodyNeed.NONE, false, true);

    @Override
    public Needs needs() {
        return NEEDS;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        return isAllowed(exchange.clientIp()) ? Outcome.CONTINUE : refused;
    }

    @Override
    public SessionOutcome onSession(Session session) {
        return isAllowed(session.clientAddress()) ? SessionOutcome.CONTINUE : SessionOutcome.REFUSE;
    }

    private boolean isAllowed(IpAddress client) {
        return !deny.contains(client) && (allow.isEmpty() || allow.contains(client));
    }
}
