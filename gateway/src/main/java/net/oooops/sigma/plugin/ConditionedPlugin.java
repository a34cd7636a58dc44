package net.oooops.sigma.plugin;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.api.SessionOutcome;
import net.oooops.sigma.plugin.condition.Condition;
import net.oooops.sigma.plugin.condition.UndecidedException;

/**
 * A plugin that acts on those exchanges only for which a condition holds. That is found out when the exchange comes to the plugin first, and kept
 * for the rest of it: whatever was begun is brought to its end.
 *
 * <p>Where it can't be found out the plugin acts, and that is told: nobody is to get round a guard by a request that its condition chokes on.
 */
public final class ConditionedPlugin extends WrappedPlugin {
    private final String name;
    private final Condition condition;

    ConditionedPlugin(String name, Plugin inner, Needs needs, Condition condition) {
        super(inner, needs);
        this.name = name;
        this.condition = condition;
    }

    /** As sigma.json has it. */
    public String condition() {
        return condition.text();
    }

    /** Whether the plugin acts on that exchange. */
    public boolean acts(Exchange exchange) {
        if (!isCalledAgain()) {
            return decided(exchange);
        }
        Object kept = exchange.attachment(this);
        if (kept instanceof Boolean acts) {
            return acts;
        }
        boolean acts = decided(exchange);
        exchange.attach(this, acts);
        return acts;
    }

    private boolean decided(Exchange exchange) {
        try {
            return condition.holds(exchange);
        } catch (UndecidedException e) {
            if (exchange instanceof PluginNotes notes) {
                notes.undecided(name, e);
            }
            return true;
        }
    }

    @Override
    public SessionOutcome onSession(Session session) throws Exception {
        return inner().onSession(session);
    }

    @Override
    public Outcome onRequest(Exchange exchange) throws Exception {
        return acts(exchange) ? inner().onRequest(exchange) : Outcome.CONTINUE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) throws Exception {
        return acts(exchange) ? inner().onResponse(exchange) : Outcome.CONTINUE;
    }

    @Override
    public void onRequestChunk(Exchange exchange, ByteBuffer chunk) {
        if (acts(exchange)) {
            inner().onRequestChunk(exchange, chunk);
        }
    }

    @Override
    public void onResponseChunk(Exchange exchange, ByteBuffer chunk) {
        if (acts(exchange)) {
            inner().onResponseChunk(exchange, chunk);
        }
    }

    @Override
    public void onEnd(Exchange exchange) {
        if (acts(exchange)) {
            inner().onEnd(exchange);
        }
    }
}
