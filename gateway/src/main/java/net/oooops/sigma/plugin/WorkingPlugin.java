package net.oooops.sigma.plugin;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.api.SessionOutcome;

/**
 * A plugin that does something by itself, too, which begins after it and ends before it. Chains have the plugin itself: exchanges and sessions don't pass
 * this.
 */
public final class WorkingPlugin extends WrappedPlugin {
    private final OwnWork work;

    WorkingPlugin(Plugin inner, Needs needs, OwnWork work) {
        super(inner, needs);
        this.work = work;
    }

    /** That plugin, or the one that does what this one says. */
    static Plugin acting(Plugin plugin) {
        return plugin instanceof WorkingPlugin working ? working.inner() : plugin;
    }

    /** A configuration with it is followed: it does what it does by itself. Of no effect the second time, or after the end. Any thread. */
    public void beginWork() {
        work.begin(PluginCatalog.made(this));
    }

    /** It does nothing by itself any more. Waits a while for what it is in the middle of. Any thread. */
    public void endWork() {
        work.end();
    }

    @Override
    public void close() {
        work.end();
        super.close();
    }

    @Override
    public SessionOutcome onSession(Session session) throws Exception {
        return inner().onSession(session);
    }

    @Override
    public Outcome onRequest(Exchange exchange) throws Exception {
        return inner().onRequest(exchange);
    }

    @Override
    public Outcome onResponse(Exchange exchange) throws Exception {
        return inner().onResponse(exchange);
    }

    @Override
    public void onRequestChunk(Exchange exchange, ByteBuffer chunk) {
        inner().onRequestChunk(exchange, chunk);
    }

    @Override
    public void onResponseChunk(Exchange exchange, ByteBuffer chunk) {
        inner().onResponseChunk(exchange, chunk);
    }

    @Override
    public void onEnd(Exchange exchange) {
        inner().onEnd(exchange);
    }
}
