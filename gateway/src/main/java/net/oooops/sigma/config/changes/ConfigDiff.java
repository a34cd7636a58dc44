package net.oooops.sigma.config.changes;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.config.BoltRouteConfig;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.config.ProxyPassConfig;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.config.RouterConfig;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.config.TcpRouteConfig;
import net.oooops.sigma.config.UpstreamConfig;
import org.jspecify.annotations.Nullable;

/** Finds what is different in two configurations. Any thread. */
public final class ConfigDiff {
    /** What stands for the order of routers among the settings. */
    private static final String ROUTERS = "router";

    private final SigmaConfig before;
    private final SigmaConfig after;
    private final Map<String, UpstreamConfig> upstreamsBefore;
    private final Map<String, UpstreamConfig> upstreamsAfter;

    private ConfigDiff(SigmaConfig before, SigmaConfig after) {
        this.before = before;
        this.after = after;
        this.upstreamsBefore = byId(before);
        this.upstreamsAfter = byId(after);
    }

    private static Map<String, UpstreamConfig> byId(SigmaConfig config) {
        Map<String, UpstreamConfig> all = new HashMap<>();
        for (UpstreamConfig upstream : config.upstreams()) {
            all.put(upstream.id(), upstream);
        }
        return all;
    }

    /**
     * What is different in the second one.
     *
     * @param started what the process was started with, which holds until its end
     */
    public static Changes between(SigmaConfig before, SigmaConfig after, RuntimeConfig started) {
        return new ConfigDiff(before, after).changes(started);
    }

    /** What a process was started with and holds until its end, as texts to compare, by the keys of sigma.json. */
    public static Map<String, String> runtime(RuntimeConfig started) {
        Map<String, String> all = new LinkedHashMap<>();
        Parts.of(started).forEach((key, value) -> all.put(key, String.valueOf(value)));
        return all;
    }

    /**
     * The settings that only a restart of a process brings into effect.
     *
     * @param started what {@link #runtime} says there; what only one of the two versions of Sigma knows isn't compared
     */
    public static List<String> restart(Map<?, ?> started, RuntimeConfig now) {
        Map<String, String> all = runtime(now);
        return all.keySet().stream()
                .filter(started::containsKey)
                .filter(key -> !Objects.equals(all.get(key), started.get(key)))
                .toList();
    }

    private Changes changes(RuntimeConfig started) {
        Map<String, List<String>> ofServersBefore = orderByServer(before);
        Map<String, List<String>> ofServersAfter = orderByServer(after);
        Map<String, List<String>> ofCallsBefore = orderOfCalls(before);
        Map<String, List<String>> ofCallsAfter = orderOfCalls(after);
        Map<String, Middle<RouteConfig>> others = others();
        return new Changes(
                listeners(before).to(listeners(after), id -> reordered(id, ofServersBefore, ofServersAfter)),
                routers(before).to(routers(after), id -> {
                    Middle<RouteConfig> routes = others.get(id);
                    return routes == null ? reordered(id, ofCallsBefore, ofCallsAfter) : reordered(routes);
                }),
                routes(others),
                proxyPasses(before).to(proxyPasses(after)),
                upstreams(before).to(upstreams(after), this::nodesOf),
                nodes(before).to(nodes(after)),
                plugins(before).to(plugins(after)),
                Certificates.of(before).to(Certificates.of(after)),
                settings(before).to(settings(after), this::routerOrder),
                Comparison.different(Parts.of(started), Parts.of(after.runtime())));
    }

    private static Comparison listeners(SigmaConfig config) {
        Comparison all = Comparison.of("listeners");
        for (Listener listener : config.allListeners()) {
            all.add(listener.id(), listener);
        }
        return all;
    }

    private static Comparison routers(SigmaConfig config) {
        Comparison all = Comparison.of("routers");
        for (RouterConfig router : config.routers()) {
            // Their routes are compared by themselves.
            all.add(router.id(), Parts.of(router));
        }
        for (BoltListenerConfig listener : config.bolt().listeners()) {
            listener.routes().stream()
                    .map(BoltRouteConfig::routerId)
                    .distinct()
                    .forEach(id -> all.add(id, Map.of("proxy-server-id", listener.id())));
        }
        return all;
    }

    /** By the ids of the routers that are in both, what may be different in their routes. */
    private Map<String, Middle<RouteConfig>> others() {
        Map<String, RouterConfig> old = new HashMap<>();
        for (RouterConfig router : before.routers()) {
            old.put(router.id(), router);
        }
        Map<String, Middle<RouteConfig>> all = new HashMap<>();
        for (RouterConfig router : after.routers()) {
            RouterConfig was = old.get(router.id());
            if (was != null) {
                all.put(router.id(), Middle.of(was.routes(), router.routes()));
            }
        }
        return all;
    }

    private Changes.Kind routes(Map<String, Middle<RouteConfig>> others) {
        Comparison old = routes(before, router -> middle(others, router).before());
        Comparison now = routes(after, router -> middle(others, router).after());
        return old.to(now)
                .with(others.values().stream().mapToInt(Middle::sameCount).sum());
    }

    private static Middle<RouteConfig> middle(Map<String, Middle<RouteConfig>> others, RouterConfig router) {
        Middle<RouteConfig> both = others.get(router.id());
        return both == null ? new Middle<>(router.routes(), router.routes(), 0) : both;
    }

    /** @param looked says which routes of a router are compared */
    private static Comparison routes(SigmaConfig config, Function<RouterConfig, List<RouteConfig>> looked) {
        Comparison all = Comparison.of("routes");
        for (RouterConfig router : config.routers()) {
            for (RouteConfig route : looked.apply(router)) {
                all.add(router.id() + "/" + route.id(), route);
            }
        }
        for (TcpListenerConfig listener : config.tcpListeners()) {
            for (TcpRouteConfig route : listener.routes()) {
                all.add(listener.id() + "/" + route.id(), route);
            }
        }
        for (BoltListenerConfig listener : config.bolt().listeners()) {
            for (BoltRouteConfig route : listener.routes()) {
                all.add(route.routerId() + "/" + route.id(), route);
            }
        }
        return all;
    }

    private static Comparison proxyPasses(SigmaConfig config) {
        Comparison all = Comparison.of("proxy-passes");
        for (ProxyPassConfig pass : config.proxyPasses()) {
            all.add(pass.id(), pass);
        }
        return all;
    }

    private static Comparison upstreams(SigmaConfig config) {
        Comparison all = Comparison.of("upstreams");
        for (UpstreamConfig upstream : config.upstreams()) {
            all.add(upstream.id(), upstream);
        }
        return all;
    }

    private static Comparison nodes(SigmaConfig config) {
        Comparison all = Comparison.of("nodes");
        for (UpstreamConfig upstream : config.upstreams()) {
            for (NodeConfig node : upstream.nodes()) {
                all.add(upstream.id() + "/" + node.hostAndPort(), node);
            }
        }
        return all;
    }

    private static Comparison plugins(SigmaConfig config) {
        Comparison all = Comparison.of("plugins");
        for (Listener listener : config.allListeners()) {
            plugins(all, "listener " + listener.id(), listener.plugins());
        }
        for (RouterConfig router : config.routers()) {
            plugins(all, "router " + router.id(), router.plugins());
            for (RouteConfig route : router.routes()) {
                if (!route.plugins().isEmpty()) {
                    plugins(all, "route " + router.id() + "/" + route.id(), route.plugins());
                }
            }
        }
        for (ProxyPassConfig pass : config.proxyPasses()) {
            plugins(all, "proxy-pass " + pass.id(), pass.plugins());
        }
        return all;
    }

    private static void plugins(Comparison all, String place, List<PluginConfig> plugins) {
        for (PluginConfig plugin : plugins) {
            all.add(place + " / " + plugin.name(), Map.of(Comparison.ITSELF, plugin.settings()));
        }
    }

    private static Comparison settings(SigmaConfig config) {
        Comparison all = Comparison.of("settings");
        Parts.settings(config)
                .forEach((key, value) -> all.add(key, Collections.singletonMap(Comparison.ITSELF, value)));
        all.add(ROUTERS, Map.of());
        return all;
    }

    private List<String> routerOrder(String setting) {
        return setting.equals(ROUTERS)
                ? reordered(
                        before.routers().stream().map(RouterConfig::id).toList(),
                        after.routers().stream().map(RouterConfig::id).toList())
                : List.of();
    }

    /** What is different in the nodes of an Upstream that is in both: {@code +1 node 10.0.0.9:80}, and which of them is used otherwise. */
    private List<String> nodesOf(String upstreamId) {
        Map<String, NodeConfig> old = nodes(upstreamsBefore.get(upstreamId));
        Map<String, NodeConfig> now = nodes(upstreamsAfter.get(upstreamId));
        List<String> what = new ArrayList<>();
        count(what, "+", without(now, old.keySet()));
        count(what, "-", without(old, now.keySet()));
        now.forEach((name, node) -> {
            NodeConfig was = old.get(name);
            if (was != null && !was.equals(node)) {
                what.add("node " + name);
            }
        });
        return what;
    }

    private static Map<String, NodeConfig> nodes(@Nullable UpstreamConfig upstream) {
        Map<String, NodeConfig> nodes = new LinkedHashMap<>();
        if (upstream != null) {
            upstream.nodes().forEach(node -> nodes.put(node.hostAndPort(), node));
        }
        return nodes;
    }

    private static List<String> without(Map<String, NodeConfig> nodes, Collection<String> others) {
        List<String> left = new ArrayList<>(nodes.keySet());
        left.removeAll(others);
        return left;
    }

    private static void count(List<String> what, String sign, List<String> names) {
        if (!names.isEmpty()) {
            String word = names.size() == 1 ? " node " : " nodes ";
            what.add(sign + names.size() + word + Changes.names(names));
        }
    }

    /** Among equals the first one counts. */
    private static List<String> reordered(Middle<RouteConfig> routes) {
        return reordered(
                routes.before().stream().map(RouteConfig::id).toList(),
                routes.after().stream().map(RouteConfig::id).toList());
    }

    /** The ids of routes of Bolt by that of their router. */
    private static Map<String, List<String>> orderOfCalls(SigmaConfig config) {
        Map<String, List<String>> order = new HashMap<>();
        for (BoltListenerConfig listener : config.bolt().listeners()) {
            listener.routes()
                    .forEach(route -> order.computeIfAbsent(route.routerId(), id -> new ArrayList<>())
                            .add(route.id()));
        }
        return order;
    }

    /** Those of TCP servers, which have no routers. */
    private static Map<String, List<String>> orderByServer(SigmaConfig config) {
        Map<String, List<String>> order = new HashMap<>();
        for (TcpListenerConfig listener : config.tcpListeners()) {
            order.put(
                    listener.id(),
                    listener.routes().stream().map(TcpRouteConfig::id).toList());
        }
        return order;
    }

    private static List<String> reordered(
            String id, Map<String, List<String>> before, Map<String, List<String>> after) {
        return reordered(before.getOrDefault(id, List.of()), after.getOrDefault(id, List.of()));
    }

    /** Whether those that are in both have another order. */
    private static List<String> reordered(List<String> before, List<String> after) {
        Set<String> old = new HashSet<>(before);
        Set<String> now = new HashSet<>(after);
        List<String> stayed = before.stream().filter(now::contains).toList();
        List<String> stay = after.stream().filter(old::contains).toList();
        return stayed.equals(stay) ? List.of() : List.of("order");
    }
}
