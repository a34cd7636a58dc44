package net.oooops.sigma.plugins.serverversion;

import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import org.jspecify.annotations.Nullable;

/** Removes fields of responses, and sets one. Allocates nothing. */
final class ServerVersion implements Plugin {
    private final FieldName[] removed;
    private final @Nullable Field server;

    /** The array is this object's own from now on. */
    ServerVersion(FieldName[] removed, @Nullable Field server) {
        this.removed = removed;
        this.server = server;
    }

    @Override
    public Needs needs() {
        return Needs.RESPONSE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        for (FieldName name : removed) {
            exchange.response().remove(name);
        }
        if (server != null) {
            exchange.response().set(server);
        }
        return Outcome.CONTINUE;
    }
}
