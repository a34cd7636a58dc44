package net.oooops.sigma.plugins.iprestriction;

import java.util.List;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.api.SessionOutcome;

/**
 * Refuses clients in {@code deny}, and, where there is an {@code allow}, all that aren't in it.
 *
 * @param allow blocks of clients; empty for all
 * @param deny blocks of clients, stronger than {@code allow}
 */
record IpRestriction(List<Cidr> allow, List<Cidr> deny) implements Plugin {
    @Override
    public Needs needs() {
        return Needs.SESSION;
    }

    @Override
    public SessionOutcome onSession(Session session) {
        IpAddress client = session.clientAddress();
        boolean allowed = !isIn(deny, client) && (allow.isEmpty() || isIn(allow, client));
        return allowed ? SessionOutcome.CONTINUE : SessionOutcome.REFUSE;
    }

    private static boolean isIn(List<Cidr> blocks, IpAddress client) {
        for (Cidr block : blocks) {
            if (block.contains(client)) {
                return true;
            }
        }
        return false;
    }
}
