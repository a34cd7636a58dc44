package net.oooops.sigma.snapshot;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.plugin.Callees;
import net.oooops.sigma.plugin.PluginMeters;
import net.oooops.sigma.redis.RedisClients;
import net.oooops.sigma.tls.PendingChallenges;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.tls.TlsException;
import net.oooops.sigma.upstream.Draft;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * The compiled form of one sigma.json, and what was made for it. What it has in common with the one before is the same: Upstreams with their
 * nodes and pools, plugins, certificates. Each ends with the last Snapshot that has it.
 *
 * <pre>
 *   compiled ─ start ─▶ ready ─ take ─▶ in use ─ work ─ another one takes its place, the last exchange ends ─▶ Held.end
 *       └──────────────────┴─▶ close
 * </pre>
 *
 * <p>What it holds is immutable; {@link #start}, {@link #take}, {@link #close}: the thread that starts or reloads the gateway; the rest: any thread.
 */
public final class Snapshot implements AutoCloseable {
    private final SigmaConfig config;
    private final GatewayPlan plan;
    private final NodeRegistry nodes;
    private final Draft draft;
    private final List<Shared<Upstream>> upstreams;
    private final PluginPlaces plugins;
    private final PluginMeters pluginMeters;
    private final Map<String, Shared<ServerTls>> encrypted;
    private final PendingChallenges challenges;
    private final RedisClients redis;
    private final Callees callees;
    private final Held held;
    private boolean begun;

    /** What a Snapshot has in common with others, or may have. */
    record Parts(
            NodeRegistry nodes,
            Draft draft,
            List<Shared<Upstream>> upstreams,
            PluginPlaces plugins,
            PluginMeters pluginMeters,
            Map<String, Shared<ServerTls>> encrypted,
            PendingChallenges challenges,
            RedisClients redis,
            Callees callees) {}

    Snapshot(SigmaConfig config, GatewayPlan plan, Parts parts) {
        this.config = config;
        this.plan = plan;
        this.nodes = parts.nodes();
        this.draft = parts.draft();
        this.upstreams = List.copyOf(parts.upstreams());
        this.plugins = parts.plugins();
        this.pluginMeters = parts.pluginMeters();
        this.encrypted = Collections.unmodifiableMap(new LinkedHashMap<>(parts.encrypted()));
        this.challenges = parts.challenges();
        this.redis = parts.redis();
        this.callees = parts.callees();
        this.held = new Held(upstreams, plugins.all(), List.copyOf(encrypted.values()));
    }

    /** What it was compiled from. */
    public SigmaConfig config() {
        return config;
    }

    /** What the Workers follow. */
    public GatewayPlan plan() {
        return plan;
    }

    /** The Upstreams of the process, those of this Snapshot among them once it has begun. */
    public NodeRegistry nodes() {
        return nodes;
    }

    /** What its plugins count, and those of the Snapshots before. */
    public PluginMeters pluginMeters() {
        return pluginMeters;
    }

    /** What its plugins have of Redis, and those of the Snapshots before. */
    public RedisClients redis() {
        return redis;
    }

    /** Where its plugins ask without an exchange, and those of the Snapshots before. */
    public Callees callees() {
        return callees;
    }

    /** Whether it has plugins. */
    public boolean hasPlugins() {
        return plugins.count() > 0;
    }

    /** A plugin of that name with these settings, made by that, wherever it stands; null where there is none. */
    public @Nullable Plugin plugin(String name, @Nullable Object settings, Object madeBy) {
        return plugins.find(name, settings, madeBy);
    }

    /** How TLS ends, by the id of the Listener. */
    public Map<String, ServerTls> encrypted() {
        Map<String, ServerTls> all = new LinkedHashMap<>();
        encrypted.forEach((id, tls) -> all.put(id, tls.value()));
        return all;
    }

    /** What issuers of certificates are shown: one for the whole process. */
    public PendingChallenges challenges() {
        return challenges;
    }

    /** Its Upstreams. */
    List<Shared<Upstream>> upstreams() {
        return upstreams;
    }

    PluginPlaces plugins() {
        return plugins;
    }

    @Nullable Shared<ServerTls> tls(String listenerId) {
        return encrypted.get(listenerId);
    }

    /**
     * It is about to be followed: both {@link #start} and {@link #take}.
     *
     * @throws SnapshotException where a plugin can't begin; to be closed then
     */
    public void begin() {
        start();
        take();
    }

    /** What its plugins leave to those of another process. Any thread. */
    public List<Left> left() {
        return plugins.left();
    }

    /** Those of another process have left that to its plugins. Before {@link #start}. */
    public void inherit(List<Left> left) {
        plugins.inherit(left);
    }

    /**
     * It may be followed: plugins begin. It may still be closed instead.
     *
     * @throws SnapshotException where a plugin can't begin; to be closed then
     */
    public void start() {
        try {
            redis.begin(config.redis());
            plugins.start();
        } catch (TlsException e) {
            throw new SnapshotException(List.of(new SnapshotProblem("/redis", e.found(), e.expected())));
        } catch (PluginPlaces.PluginStartException e) {
            throw new SnapshotException(List.of(new SnapshotProblem(
                    e.config().place().pointer(), String.valueOf(e.getMessage()), "one that can be started")));
        }
    }

    /** It is followed, once plugins have begun: Upstreams are what it says from now on. */
    public void take() {
        draft.commit();
        redis.follow(config.redis());
        begun = true;
    }

    /** All Workers follow it: what its plugins do by themselves begins. */
    public void work() {
        plugins.beginWork();
    }

    /** It never comes to be followed: what was made for it is closed. Of no effect on one that is. */
    @Override
    public void close() {
        if (!begun) {
            begun = true;
            try {
                draft.discard();
            } finally {
                held.end();
            }
        }
    }

    /** What it holds, to be ended when nothing follows it any more. */
    public Held held() {
        return held;
    }
}
