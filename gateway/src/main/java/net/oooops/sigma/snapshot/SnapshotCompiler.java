package net.oooops.sigma.snapshot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.bolt.BoltListenerPlan;
import net.oooops.sigma.bolt.BoltPlan;
import net.oooops.sigma.bolt.BoltRoutePlan;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.config.BoltRouteConfig;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.PlacedRoute;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.config.ProxyPassConfig;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.config.RouterConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.config.TcpRouteConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.plugin.PluginMaker;
import net.oooops.sigma.plugin.PrefixCut;
import net.oooops.sigma.proxy.Affinity;
import net.oooops.sigma.proxy.Forwarding;
import net.oooops.sigma.proxy.HttpListenerPlan;
import net.oooops.sigma.proxy.HttpPlan;
import net.oooops.sigma.proxy.RoutePlan;
import net.oooops.sigma.route.CallRoutes;
import net.oooops.sigma.route.HelloRoutes;
import net.oooops.sigma.route.RouteRule;
import net.oooops.sigma.route.RouteTable;
import net.oooops.sigma.tcp.TcpListenerPlan;
import net.oooops.sigma.tcp.TcpPlan;
import net.oooops.sigma.tcp.TcpRoutePlan;
import net.oooops.sigma.tls.PendingChallenges;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.tls.TlsException;
import net.oooops.sigma.udp.UdpListenerPlan;
import net.oooops.sigma.udp.UdpPlan;
import net.oooops.sigma.upstream.Draft;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a validated configuration: one plan for each Route, one table for each Listener, each plugin made once for the
 * place that names it. Used once, on one thread.
 */
public final class SnapshotCompiler {
    private static final Forwarding BELIEVES_NOTHING = new Forwarding(AllowForward.NONE, List.of());

    private final SigmaConfig config;
    private final PluginMaker maker;
    private final List<SnapshotProblem> problems = new ArrayList<>();
    private final @Nullable Snapshot before;
    private final PluginPlaces plugins;
    private final ParameterCheck parameters = new ParameterCheck();
    /** By the id of the Listener. */
    private final Map<String, Shared<ServerTls>> encrypted = new LinkedHashMap<>();

    private final PendingChallenges challenges;

    /** By where they stand, the plugins that were made. */
    private final Map<String, List<Chain.Link>> linked = new HashMap<>();
    /** By their ids, those that Routes have led to so far. */
    private final Map<String, RoutePlans.Pass> madePasses = new HashMap<>();

    private final Map<String, ProxyPassConfig> proxyPasses = new HashMap<>();
    private final Map<String, List<Chain.Link>> proxyPassLinks = new HashMap<>();
    private final NodeRegistry nodes;
    private final Draft draft;
    /** By id, of the Upstreams of HTTP. */
    private final Map<String, Affinity> affinities = new HashMap<>();

    private final RoutePlans routePlans = new RoutePlans(this::pass);

    private SnapshotCompiler(SigmaConfig config, PluginMaker maker, @Nullable Snapshot before) {
        this.config = config;
        this.maker = maker;
        this.before = before;
        this.plugins = new PluginPlaces(before == null ? null : before.plugins());
        this.challenges = before == null ? new PendingChallenges() : before.challenges();
        this.nodes = before == null ? new NodeRegistry() : before.nodes();
        this.draft = nodes.draft();
    }

    /**
     * Compiles {@code config}.
     *
     * @param config valid: all references lead somewhere
     * @throws SnapshotException with all that can't be used; nothing is left open then, nor where a plugin throws anything else
     */
    public static Snapshot compile(SigmaConfig config, PluginMaker maker) {
        return new SnapshotCompiler(config, maker, null).compile();
    }

    /**
     * Compiles {@code config} to take the place of another one. What didn't change is the same: nothing that runs notices.
     *
     * @param config valid: all references lead somewhere
     * @param before what is followed now
     * @throws SnapshotException as above; nothing has changed then
     */
    public static Snapshot compile(SigmaConfig config, PluginMaker maker, Snapshot before) {
        return new SnapshotCompiler(config, maker, before).compile();
    }

    private Snapshot compile() {
        try {
            return compiled();
        } catch (Throwable e) {
            // Whatever a plugin throws: a draft that is left would keep every later one from being made.
            discard();
            throw e;
        }
    }

    /** Ends what was made. */
    private void discard() {
        new Held(List.of(), plugins.all(), List.copyOf(encrypted.values())).end();
        draft.discard();
    }

    private Snapshot compiled() {
        config.upstreams().forEach(this::make);
        for (UpstreamConfig upstream : config.upstreams()) {
            Upstream there = draft.find(upstream.id());
            if (there != null && upstream.protocol() == Protocol.HTTP) {
                affinities.put(upstream.id(), Affinity.of(there, upstream, ProcessKey::get));
            }
        }
        List<Upstream> tcp = upstreams(Protocol.TCP);
        for (ProxyPassConfig pass : config.proxyPasses()) {
            proxyPasses.put(pass.id(), pass);
            proxyPassLinks.put(pass.id(), links("proxy-pass " + pass.id(), pass.plugins()));
        }
        List<HttpListenerPlan> listeners = new ArrayList<>();
        for (ListenerConfig listener : config.listeners()) {
            listeners.add(listener(listener));
        }
        List<TcpListenerPlan> tcpListeners = new ArrayList<>();
        for (TcpListenerConfig listener : config.tcpListeners()) {
            tcpListeners.add(tcpListener(listener, tcp));
        }
        List<BoltListenerPlan> boltListeners = new ArrayList<>();
        for (BoltListenerConfig listener : config.bolt().listeners()) {
            boltListeners.add(boltListener(listener));
        }
        List<UdpListenerPlan> udpListeners = new ArrayList<>();
        for (UdpListenerConfig listener : config.udpListeners()) {
            udpListeners.add(udpListener(listener));
        }
        problems.addAll(parameters.problems());
        if (!problems.isEmpty()) {
            throw new SnapshotException(problems);
        }
        BoltPlan calls = new BoltPlan(boltListeners, upstreams(Protocol.BOLT), config.bolt());
        GatewayPlan plan = new GatewayPlan(
                new HttpPlan(
                        listeners,
                        upstreams(Protocol.HTTP),
                        config.runtime().memory().bodyBytesMax(),
                        routePlans.callees(passes())),
                new TcpPlan(tcpListeners, tcp),
                new UdpPlan(udpListeners, upstreams(Protocol.UDP)),
                calls);
        return new Snapshot(
                config,
                plan,
                new Snapshot.Parts(
                        nodes,
                        draft,
                        shared(),
                        plugins,
                        maker.meters(),
                        encrypted,
                        challenges,
                        maker.redis(),
                        maker.callees()));
    }

    /** Its Upstreams, each with what was there of it. */
    private List<Shared<Upstream>> shared() {
        IdentityHashMap<Upstream, Shared<Upstream>> there = new IdentityHashMap<>();
        if (before != null) {
            before.upstreams().forEach(each -> there.put(each.value(), each));
        }
        List<Shared<Upstream>> all = new ArrayList<>();
        for (Upstream upstream : draft.all()) {
            Shared<Upstream> known = there.get(upstream);
            all.add(known == null ? new Shared<>(upstream) : known.share());
        }
        return all;
    }

    private void make(UpstreamConfig upstream) {
        try {
            draft.upstream(upstream);
        } catch (TlsException e) {
            NodeTlsConfig tls = upstream.tls();
            problems.add(new SnapshotProblem(tls == null ? "" : tls.pointer(), e.found(), e.expected()));
        }
    }

    private List<Upstream> upstreams(Protocol protocol) {
        List<Upstream> ofProtocol = new ArrayList<>();
        for (Upstream upstream : draft.all()) {
            if (upstream.config().protocol() == protocol) {
                ofProtocol.add(upstream);
            }
        }
        return ofProtocol;
    }

    private Upstream upstream(ProxyPassConfig pass) {
        return Objects.requireNonNull(draft.find(pass.upstreamId()), "no such upstream");
    }

    private TcpListenerPlan tcpListener(TcpListenerConfig listener, List<Upstream> tcp) {
        List<HelloRoutes.Rule<TcpRoutePlan>> rules = new ArrayList<>();
        for (TcpRouteConfig route : listener.routes()) {
            TcpRoutePlan target = tcpRoute(route.id(), route.proxyPassId(), tcp);
            rules.add(new HelloRoutes.Rule<>(route.id(), route.hosts(), route.protocols(), target));
        }
        String otherwise = listener.proxyPassId();
        return new TcpListenerPlan(
                listener,
                Chain.of(links("server " + listener.id(), listener.plugins())),
                new HelloRoutes<>(rules, otherwise == null ? null : tcpRoute("", otherwise, tcp)),
                tls(listener.id(), listener.tls()));
    }

    private TcpRoutePlan tcpRoute(String id, String passId, List<Upstream> tcp) {
        ProxyPassConfig pass = Objects.requireNonNull(proxyPasses.get(passId), "no such proxy-pass");
        Upstream upstream = upstream(pass);
        if (!tcp.contains(upstream)) {
            // Nodes of Bolt, which take sessions in mode relay.
            tcp.add(upstream);
        }
        List<Chain.Link> links = Objects.requireNonNull(proxyPassLinks.get(passId), "no such proxy-pass");
        return new TcpRoutePlan(id, pass.id(), Chain.of(links), upstream, pass.proxyProtocol());
    }

    private BoltListenerPlan boltListener(BoltListenerConfig listener) {
        List<CallRoutes.Rule<BoltRoutePlan>> rules = new ArrayList<>();
        for (BoltRouteConfig route : listener.routes()) {
            ProxyPassConfig pass = Objects.requireNonNull(proxyPasses.get(route.proxyPassId()), "no such proxy-pass");
            BoltRoutePlan plan = new BoltRoutePlan(route.id(), upstream(pass), route.timeoutNanos());
            rules.add(new CallRoutes.Rule<>(route.className(), route.headers(), plan));
        }
        return new BoltListenerPlan(
                listener,
                Chain.of(links("server " + listener.id(), listener.plugins())),
                CallRoutes.of(rules),
                tls(listener.id(), listener.tls()));
    }

    private UdpListenerPlan udpListener(UdpListenerConfig listener) {
        ProxyPassConfig pass = Objects.requireNonNull(proxyPasses.get(listener.proxyPassId()), "no such proxy-pass");
        List<Chain.Link> ofServer = links("server " + listener.id(), listener.plugins());
        Chain chain = Chain.of(joined(ofServer, proxyPassLinks.getOrDefault(pass.id(), List.of())));
        return new UdpListenerPlan(listener, chain, upstream(pass));
    }

    private HttpListenerPlan listener(ListenerConfig listener) {
        List<Chain.Link> serverLinks = links("server " + listener.id(), listener.plugins());
        if (!config.asked().isEmpty() && listener.tls() == null) {
            serverLinks.addFirst(new Chain.Link("acme", challenges.pagesPlugin()));
        }
        List<RouteRule<RoutePlan>> rules = new ArrayList<>();
        for (RouterConfig router : config.routers()) {
            if (router.listenerId().equals(listener.id())) {
                router(router, new OnListener(listener, serverLinks), rules);
            }
        }
        Chain chain = Chain.of(serverLinks);
        RoutePlan unrouted =
                routePlans.unrouted(RoutePlans.Way.unrouted(chain, listener, ofAllRouters(listener)), listener);
        return new HttpListenerPlan(
                listener, RouteTable.of(rules), unrouted, tls(listener.id(), listener.tls()), config.errorPages());
    }

    /** What is believed of a request that no Route takes: what all Routers of its Listener believe, nothing where they differ. */
    private Forwarding ofAllRouters(ListenerConfig listener) {
        RouterConfig first = null;
        for (RouterConfig router : config.routers()) {
            if (!router.listenerId().equals(listener.id())) {
                continue;
            }
            if (first != null && !believesTheSame(first, router)) {
                return BELIEVES_NOTHING;
            }
            first = router;
        }
        return first == null ? BELIEVES_NOTHING : new Forwarding(first.allowForward(), first.trustedProxies());
    }

    private static boolean believesTheSame(RouterConfig one, RouterConfig other) {
        return one.allowForward() == other.allowForward()
                && one.trustedProxies().equals(other.trustedProxies());
    }

    private @Nullable ServerTls tls(String listenerId, @Nullable TlsConfig config) {
        if (config == null) {
            return null;
        }
        Shared<ServerTls> there = before == null ? null : before.tls(listenerId);
        if (there != null && there.value().config().isSame(config)) {
            encrypted.put(listenerId, there.share());
            return there.value();
        }
        try {
            ServerTls tls = new ServerTls(config, challenges);
            encrypted.put(listenerId, new Shared<>(tls));
            return tls;
        } catch (TlsException e) {
            problems.add(new SnapshotProblem(config.pointer(), e.found(), e.expected()));
            return null;
        }
    }

    /** A Listener and the plugins that come first on it. */
    private record OnListener(ListenerConfig listener, List<Chain.Link> links) {}

    private void router(RouterConfig router, OnListener server, List<RouteRule<RoutePlan>> rules) {
        OnListener above = new OnListener(
                server.listener(), joined(server.links(), links("router " + router.id(), router.plugins())));
        Forwarding forwarding = new Forwarding(router.allowForward(), router.trustedProxies());
        OnRouter here = new OnRouter(router, above, forwarding, new HashMap<>());
        for (PlacedRoute placed : PlacedRoute.of(router, config.routers())) {
            add(placed, here, rules);
        }
    }

    /**
     * A Router, and what its Routes have in common.
     *
     * @param alike by where they lead, one of those without plugins of their own, as most are: they differ in their ids and paths only
     */
    private record OnRouter(
            RouterConfig router, OnListener above, Forwarding forwarding, Map<String, RoutePlan> alike) {
        RoutePlans.Way way(RouteConfig route, Chain chain) {
            return RoutePlans.Way.of(router.id(), route, chain, above.listener(), forwarding);
        }
    }

    private void add(PlacedRoute placed, OnRouter here, List<RouteRule<RoutePlan>> rules) {
        RouteConfig route = placed.found();
        boolean plain = placed.steps().isEmpty() && route.plugins().isEmpty();
        RoutePlan like = plain ? here.alike.get(route.proxyPassId()) : null;
        RoutePlan plan = like == null ? plan(placed, route, here) : routePlans.alike(like, route);
        if (plan == null) {
            return;
        }
        if (like == null && plain && plan.targets().isEmpty()) {
            here.alike.put(route.proxyPassId(), plan);
        }
        List<String> hosts = here.router.virtualHosts();
        if (hosts.isEmpty()) {
            rules.add(RouteRule.of(route, null, plan));
        }
        for (String host : hosts) {
            rules.add(RouteRule.of(route, host, plan));
        }
    }

    private @Nullable RoutePlan plan(PlacedRoute placed, RouteConfig route, OnRouter here) {
        placed.steps().forEach(step -> parameters.look(links(step.router(), step.route()), route.path()));
        parameters.look(links(placed.router(), placed.route()), route.path());
        return route(route, links(placed), here);
    }

    /** Those of the routes and routers on the way to it, each behind what is cut off of the path, and its own. */
    private List<Chain.Link> links(PlacedRoute placed) {
        List<Chain.Link> links = new ArrayList<>();
        for (PlacedRoute.Step step : placed.steps()) {
            links.addAll(links(step.router(), step.route()));
            if (!step.prefix().isEmpty()) {
                links.add(new Chain.Link("sub-router", new PrefixCut(step.prefix())));
            }
            links.addAll(links("router " + step.to().id(), step.to().plugins()));
        }
        links.addAll(links(placed.router(), placed.route()));
        return links;
    }

    private List<Chain.Link> links(RouterConfig router, RouteConfig route) {
        return links("route " + router.id() + " " + route.id(), route.plugins());
    }

    private @Nullable RoutePlan route(RouteConfig route, List<Chain.Link> own, OnRouter here) {
        OnListener above = here.above;
        if (route.proxyPassId().isEmpty()) {
            Chain chain = Chain.of(joined(above.links(), own));
            return routePlans.answered(here.way(route, chain), above.listener());
        }
        RoutePlans.Pass pass = pass(route.proxyPassId());
        if (pass == null) {
            // What it leads to is switched off ("enable": false), and so is the Route.
            return null;
        }
        List<Chain.Link> ofPass = proxyPassLinks.getOrDefault(route.proxyPassId(), List.of());
        Chain chain = Chain.of(joined(joined(above.links(), own), ofPass));
        return routePlans.leading(here.way(route, chain), pass, above.listener());
    }

    private RoutePlans.@Nullable Pass pass(String id) {
        RoutePlans.Pass known = madePasses.get(id);
        if (known == null) {
            known = newPass(id);
            if (known != null) {
                madePasses.put(id, known);
            }
        }
        return known;
    }

    private RoutePlans.@Nullable Pass newPass(String id) {
        ProxyPassConfig pass = proxyPasses.get(id);
        Upstream upstream = pass == null ? null : draft.find(pass.upstreamId());
        return pass == null || upstream == null
                ? null
                : new RoutePlans.Pass(pass, upstream, affinities.getOrDefault(pass.upstreamId(), Affinity.NONE));
    }

    /** All that lead somewhere. */
    private Map<String, RoutePlans.Pass> passes() {
        Map<String, RoutePlans.Pass> all = new HashMap<>();
        for (String id : proxyPasses.keySet()) {
            RoutePlans.Pass pass = pass(id);
            if (pass != null && pass.upstream().config().protocol() == Protocol.HTTP) {
                all.put(id, pass);
            }
        }
        return all;
    }

    /** @param owner where they stand: kind and id; asked again, it has the same ones */
    private List<Chain.Link> links(String owner, List<PluginConfig> written) {
        return written.isEmpty()
                ? new ArrayList<>()
                : new ArrayList<>(linked.computeIfAbsent(owner, of -> made(of, written)));
    }

    private List<Chain.Link> made(String owner, List<PluginConfig> written) {
        List<Chain.Link> links = new ArrayList<>();
        Map<String, Integer> numbers = new HashMap<>();
        for (PluginConfig plugin : written) {
            int number = numbers.merge(plugin.name(), 1, Integer::sum) - 1;
            Plugin instance = plugin(new PluginPlaces.Spot(owner, plugin.name(), number), plugin);
            if (instance != null) {
                parameters.written(instance, plugin);
                links.add(new Chain.Link(plugin.name(), instance));
            }
        }
        return links;
    }

    private @Nullable Plugin plugin(PluginPlaces.Spot spot, PluginConfig config) {
        Object by = maker.madeBy(config.name());
        Plugin kept = plugins.kept(spot, config, by);
        if (kept != null) {
            return kept;
        }
        try {
            Plugin made = maker.create(config.name(), config.settings());
            if (made != null) {
                plugins.made(spot, config, by, made);
            }
            return made;
        } catch (SettingsException e) {
            problems.add(new SnapshotProblem(config.place().pointer() + e.pointer(), e.found(), e.expected()));
            return null;
        }
    }

    private static List<Chain.Link> joined(List<Chain.Link> first, List<Chain.Link> then) {
        List<Chain.Link> all = new ArrayList<>(first);
        all.addAll(then);
        return all;
    }
}
