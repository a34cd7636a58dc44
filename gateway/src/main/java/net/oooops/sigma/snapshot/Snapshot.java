package net.oooops.sigma.snapshot;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.tls.PendingChallenges;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.upstream.NodeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The compiled, immutable form of one sigma.json, and the plugins that were made for it.
 *
 * @param config what it was compiled from
 * @param plan what the Workers follow
 * @param nodes the Upstreams that the plan refers to
 * @param plugins every plugin instance, to be closed after the last exchange
 * @param encrypted how TLS ends, by the id of the Listener
 * @param challenges what issuers of certificates are shown; null where none is asked
 */
public record Snapshot(
        SigmaConfig config,
        GatewayPlan plan,
        NodeRegistry nodes,
        List<Plugin> plugins,
        Map<String, ServerTls> encrypted,
        @Nullable PendingChallenges challenges)
        implements AutoCloseable {
    public Snapshot {
        plugins = List.copyOf(plugins);
        encrypted = Collections.unmodifiableMap(new LinkedHashMap<>(encrypted));
    }

    /** Closes the plugins and gives certificates back, after the last exchange. */
    @Override
    public void close() {
        plugins.forEach(Plugin::close);
        encrypted.values().forEach(ServerTls::close);
        if (challenges != null) {
            challenges.close();
        }
        nodes.close();
    }
}
