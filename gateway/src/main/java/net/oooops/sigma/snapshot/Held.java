package net.oooops.sigma.snapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.plugin.WorkingPlugin;
import net.oooops.sigma.plugin.jars.OwnContext;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.upstream.Upstream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a Snapshot holds until nothing follows it any more, and nothing else of it: a WebSocket of days must not keep its tables of routes.
 *
 * <p>Any thread.
 */
public final class Held {
    private static final Logger LOG = LoggerFactory.getLogger(Held.class);

    /** Nothing, once it has ended: who still knows of it then, as an event loop does of its first configuration, holds none of them. */
    private List<Shared<Upstream>> upstreams;

    private List<Shared<Plugin>> plugins;
    private List<Shared<ServerTls>> encrypted;
    private final AtomicBoolean over = new AtomicBoolean();

    Held(List<Shared<Upstream>> upstreams, List<Shared<Plugin>> plugins, List<Shared<ServerTls>> encrypted) {
        this.upstreams = List.copyOf(upstreams);
        this.plugins = List.copyOf(plugins);
        this.encrypted = List.copyOf(encrypted);
    }

    /**
     * Gives back what no other Snapshot has, each though another one fails at that. Of no effect the second time.
     *
     * @return the Upstreams that no other one has, which are to be retired
     */
    public List<Upstream> end() {
        List<Upstream> gone = new ArrayList<>();
        if (!over.compareAndSet(false, true)) {
            return gone;
        }
        for (Shared<Upstream> upstream : upstreams) {
            if (upstream.leave()) {
                gone.add(upstream.value());
            }
        }
        for (Shared<Plugin> plugin : plugins) {
            if (plugin.leave()) {
                close(plugin.value(), plugin.value()::close);
            }
        }
        for (Shared<ServerTls> tls : encrypted) {
            if (tls.leave()) {
                close(tls.value(), tls.value()::close);
            }
        }
        upstreams = List.of();
        plugins = List.of();
        encrypted = List.of();
        return gone;
    }

    /** The gateway ends: plugins do nothing by themselves any more. */
    public void endWork() {
        for (Shared<Plugin> plugin : plugins) {
            if (plugin.value() instanceof WorkingPlugin working) {
                working.endWork();
            }
        }
    }

    private static void close(Object what, Runnable closing) {
        try (OwnContext _ = OwnContext.of(what)) {
            closing.run();
        } catch (Exception | Error e) {
            // Whatever it is: the others are to be closed.
            LOG.warn("{} failed while it was closed", what.getClass().getName(), e);
        }
    }
}
