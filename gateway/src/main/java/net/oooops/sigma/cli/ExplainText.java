package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.bolt.BoltListenerPlan;
import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.PlacedRoute;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.config.ProxyPassConfig;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.config.RouterConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.proxy.RoutePlan;
import net.oooops.sigma.route.Explanation;
import net.oooops.sigma.route.Explanation.Candidate;
import net.oooops.sigma.route.HelloRoutes;
import net.oooops.sigma.route.RouteRule;
import net.oooops.sigma.route.Verdict;
import net.oooops.sigma.tcp.TcpListenerPlan;
import net.oooops.sigma.tcp.TcpRoutePlan;
import net.oooops.sigma.udp.UdpListenerPlan;
import org.jspecify.annotations.Nullable;

/** What {@code sigma explain} prints: one line for each stage of the road, in its order. */
final class ExplainText {
    private static final int LABEL_CHARS = 12;
    private static final int CANDIDATES_MAX = 20;

    private final SigmaConfig config;
    private final Predicate<String> findsConsumer;
    private final StringBuilder text = new StringBuilder();
    private @Nullable ListenerConfig listener;

    /** @param findsConsumer says of the name of a plugin whether it finds out whom requests are from */
    ExplainText(SigmaConfig config, Predicate<String> findsConsumer) {
        this.config = config;
        this.findsConsumer = findsConsumer;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    /** What was asked. */
    void request(AskedRequest request) {
        text.append(request.method())
                .append(request.secure() ? " https://" : " http://")
                .append(request.authority())
                .append(request.target())
                .append('\n');
    }

    /** What was asked, of Bolt. */
    void call(AskedCall asked) {
        text.append("CALL bolt://")
                .append(asked.authority())
                .append('/')
                .append(asked.className())
                .append('\n');
    }

    /**
     * It comes to a Listener of TCP, where it is as good as any other bytes.
     *
     * @param client what it asks for in its handshake, if it has one
     * @return whether it leads somewhere
     */
    boolean sessions(TcpListenerPlan plan, AskedClient client) {
        TcpListenerConfig found = plan.listener();
        String what = Wording.word(found.protocol()) + ": sessions, no requests";
        TlsConfig tls = found.tls();
        AskedClient.Handshake said = (tls == null ? client : client.seenBy(tls)).handshake();
        String host = said.host();
        String protocol = said.protocol();
        TcpRoutePlan route = plan.routes().match(host, protocol == null ? List.of() : List.of(protocol));
        List<String> plugins = new ArrayList<>(names(plan.chain()));
        listener(found, what);
        String refused = tls == null ? null : client.refusedBy(tls);
        if (refused != null) {
            answer(refused);
            return false;
        }
        if (plan.routes().areAny()) {
            plan.routes().rules().forEach(rule -> line("candidate", rule.id() + ": " + asked(rule)));
            String taken = route == null || route.id().isEmpty() ? "none" : route.id();
            line(
                    "route",
                    taken + " (asked for " + (host == null ? "no host" : host) + " in the handshake, and for "
                            + (protocol == null ? "no protocol" : protocol) + ")");
        }
        if (route == null) {
            line(
                    "answer",
                    plan.tls() == null
                            ? "none: the handshake is refused (unrecognized_name)"
                            : "none: reset after the handshake");
            return false;
        }
        plugins.addAll(names(route.chain()));
        String passed = route.proxyPassId() + " (PROXY protocol " + Wording.word(route.sent()) + ")";
        sessions(plugins, passed, route.upstream().id());
        return true;
    }

    private static String asked(HelloRoutes.Rule<?> rule) {
        List<String> conditions = new ArrayList<>();
        if (!rule.hosts().isEmpty()) {
            conditions.add("sni " + String.join(", ", rule.hosts()));
        }
        if (!rule.protocols().isEmpty()) {
            conditions.add("alpn " + String.join(", ", rule.protocols()));
        }
        return String.join("; ", conditions);
    }

    /** The sessions that come to a Listener of UDP. */
    void sessions(UdpListenerPlan plan) {
        UdpListenerConfig found = plan.listener();
        listener(found, "udp: sessions, no requests");
        sessions(names(plan.chain()), found.proxyPassId(), plan.upstream().id());
    }

    private void listener(Listener found, String what) {
        line("listener", found.id() + " on " + Wording.authority(found.host(), found.port()) + " (" + what + ")");
    }

    /** The names of all plugins, in the order of the request. */
    static List<String> names(Chain chain) {
        List<String> names = new ArrayList<>();
        for (int position = 0; position < chain.length(); position++) {
            names.add(chain.name(position) + (chain.isShadow(position) ? " (in shadow)" : ""));
        }
        return names;
    }

    private void sessions(List<String> plugins, String passed, String upstreamId) {
        line("plugins", plugins.isEmpty() ? "none" : String.join(", ", plugins));
        line("proxy-pass", passed);
        for (UpstreamConfig upstream : config.upstreams()) {
            if (upstream.id().equals(upstreamId)) {
                upstream(upstream);
            }
        }
    }

    /** It comes to a Listener of Bolt, which takes no requests of HTTP. */
    void calls(BoltListenerPlan plan) {
        BoltListenerConfig found = plan.listener();
        line("listener", found.id() + " on " + Wording.authority(found.host(), found.port()) + " (bolt: calls)");
        line("answer", "none: ask with CALL bolt://host:" + found.port() + "/class.Name");
    }

    /** It is a call for a Listener of Bolt. */
    boolean call(BoltListenerPlan plan, AskedCall asked) {
        return new ExplainCall(config, this).explain(plan, asked);
    }

    /** No Listener has that port. */
    void noListener(int port) {
        String known = config.allListeners().stream()
                .map(each -> each.port() + " (" + each.id() + ")")
                .collect(Collectors.joining(", "));
        line("listener", "none on port " + port + " (expected: " + known + ")");
    }

    /** The Listener it comes to. */
    void listener(ListenerConfig found, int port) {
        listener = found;
        String note = found.port() == port ? "" : "; the only one, taken though the URL's port is " + port;
        line("listener", found.id() + " on " + Wording.authority(found.host(), found.port()) + note);
    }

    /** What is assumed of the client; nothing where that is empty. */
    void assumed(String what) {
        if (!what.isEmpty()) {
            line("assumed", what);
        }
    }

    /** The gateway answers at once. */
    void answer(String answer) {
        line("answer", answer);
    }

    /**
     * The way it takes from there.
     *
     * @return whether it leads somewhere, or a plugin answers without a failure
     */
    boolean found(String path, Explanation<RoutePlan> explanation, DryRun dryRun) {
        String host = explanation.hostGroup();
        line("host", host == null ? "no routes for it" : host.equals("*") ? "* (routes of any host)" : host);
        line("path", path.isEmpty() ? "none" : path);
        RouteRule<RoutePlan> winner = explanation.winner();
        Found found = winner == null ? null : find(winner);
        if (found != null) {
            line("router", found.router().id());
            line("route", found.route().id() + " (" + found.route().path() + ")");
            for (PlacedRoute.Step step : found.placed().steps()) {
                line("sub-router", step.to().id() + " below " + step.route().path());
            }
        }
        List<Written> written = written(found);
        Consumer assumed = dryRun.assumedConsumer();
        if (assumed != null) {
            dryRun.assume(ConsumerFields.named(assumed, plugins(written)));
        }
        PluginSteps steps = PluginSteps.of(dryRun, findsConsumer, plugins(dryRun, written));
        plugins(dryRun, written, steps);
        String sent = dryRun.target();
        Target ofRoute = found == null ? null : found.target();
        Target target = sent == null ? ofRoute : target(sent);
        if (target != null && steps.answer() == null) {
            target(target, dryRun);
        } else if (found != null && steps.answer() == null) {
            answer("a plugin's, or 404: route " + found.route().id() + " has no proxy-pass");
        } else if (steps.answer() != null) {
            answer(String.valueOf(steps.answer()));
        } else {
            answer(dryRun.isConnect() ? "405: no route for this host takes CONNECT" : missed(explanation));
        }
        candidates(explanation);
        return winner != null || dryRun.isPreflight() || steps.isAnswered();
    }

    /** What is written of the plugin at a position of the chain, where that is known. */
    private static IntFunction<@Nullable PluginConfig> plugins(DryRun dryRun, List<Written> written) {
        boolean known = written.size() == dryRun.plan().chain().names().size();
        return position -> known ? written.get(position).plugin() : null;
    }

    private void plugins(DryRun dryRun, List<Written> written, PluginSteps steps) {
        List<String> names = dryRun.plan().chain().names();
        boolean known = written.size() == names.size();
        if (names.isEmpty()) {
            line("plugins", "none");
        }
        if (dryRun.isPreflight()) {
            line("preflight", "seen by the plugins of route " + dryRun.routeId());
        }
        int width = names.stream().mapToInt(String::length).max().orElse(0);
        for (int i = 0; i < names.size(); i++) {
            String level = known ? pad(written.get(i).level(), LABEL_CHARS) : "";
            String did = steps.said().get(i) + (known ? limit(written.get(i).plugin(), steps.planAt(i)) : "");
            line(i == 0 ? "plugins" : "", level + pad(names.get(i), width + 2) + did);
        }
        String consumer = steps.consumer();
        if (consumer != null) {
            line("consumer", consumer);
        }
    }

    /** Which limit of a plugin holds, where it was run. */
    private static String limit(@Nullable PluginConfig plugin, @Nullable String plan) {
        String holds = plugin == null || plan == null ? "" : LimitText.of(plugin, plan);
        return holds.isEmpty() ? "" : "; " + holds;
    }

    /**
     * Where in sigma.json a plugin of the chain is written.
     *
     * @param plugin null where it is none that stands there by itself
     */
    private record Written(String level, @Nullable PluginConfig plugin) {}

    /** Each plugin of the chain; shorter or longer than the chain where that isn't known. */
    private List<Written> written(@Nullable Found found) {
        List<Written> all = new ArrayList<>();
        if (listener != null) {
            add(all, "server", listener.plugins());
        }
        if (found != null) {
            add(all, "router", found.router().plugins());
            for (PlacedRoute.Step step : found.placed().steps()) {
                add(all, "route", step.route().plugins());
                if (!step.prefix().isEmpty()) {
                    all.add(new Written("route", null));
                }
                add(all, "router", step.to().plugins());
            }
            add(all, "route", found.route().plugins());
            Target target = found.target();
            if (target != null) {
                add(all, "proxy-pass", target.pass().plugins());
            }
        }
        return all;
    }

    private static List<PluginConfig> plugins(List<Written> written) {
        List<PluginConfig> plugins = new ArrayList<>();
        for (Written each : written) {
            PluginConfig plugin = each.plugin();
            if (plugin != null) {
                plugins.add(plugin);
            }
        }
        return plugins;
    }

    private static void add(List<Written> all, String level, List<PluginConfig> plugins) {
        plugins.forEach(each -> all.add(new Written(level, each)));
    }

    private void target(Target found, DryRun dryRun) {
        ProxyPassConfig pass = found.pass();
        line(
                "proxy-pass",
                pass.id() + " (each try answers within " + Wording.duration(pass.responseTimeoutNanos()) + "; Host "
                        + (pass.preserveHost() ? "kept" : "of the node") + ")");
        if (dryRun.asksForProtocol()) {
            upgrade(dryRun.protocol(), pass.tunnel().protocols(), found.upstream());
        }
        upstream(found.upstream());
        String query = dryRun.request().query();
        String target = dryRun.isConnect()
                ? dryRun.request().authority() + ", a tunnel where the node agrees (2xx)"
                : dryRun.request().path() + (query == null ? "" : "?" + query);
        line("sent as", dryRun.request().method() + " " + target);
    }

    private void upgrade(@Nullable String asked, List<String> allowed, UpstreamConfig upstream) {
        String how = switch (upstream.httpVersion()) {
            case HTTP_1_1 -> "101";
            case HTTP_2 -> "CONNECT, RFC 8441";
            case AGREED -> "101, or CONNECT of RFC 8441";
        };
        line(
                "upgrade",
                asked == null
                        ? "ignored (allowed: " + (allowed.isEmpty() ? "none" : String.join(", ", allowed)) + ")"
                        : asked + ", where the node agrees (" + how + ")");
    }

    void upstream(UpstreamConfig upstream) {
        line("upstream", upstream.id() + " (" + Wording.balancing(upstream) + ")");
        if (upstream.discovery() instanceof Discovery.OfFile(Path file)) {
            line("nodes-file", file.toString());
        } else if (upstream.discovery() instanceof Discovery.OfSrv(String name)) {
            line("dns-srv", name + " (asked for when Sigma runs)");
        }
        boolean weighted = upstream.nodes().stream().anyMatch(node -> node.weight() != NodeConfig.WEIGHT_DEFAULT);
        String label = "nodes";
        for (NodeConfig node : upstream.nodes()) {
            String weight = weighted ? " (weight " + node.weight() + ")" : "";
            line(label, upstream.scheme().prefix() + Wording.authority(node.host(), node.port()) + weight);
            label = "";
        }
    }

    private static String missed(Explanation<RoutePlan> explanation) {
        if (explanation.miss() == null) {
            return "";
        }
        return switch (explanation.miss()) {
            case NO_ROUTE -> "404: no route takes it";
            case METHOD_NOT_ALLOWED -> "405: no route takes the method (Allow: " + explanation.allow() + ")";
            case UNSUPPORTED_MEDIA_TYPE -> "415: no route takes the Content-Type";
            case NOT_ACCEPTABLE -> "406: no route makes what Accept admits";
        };
    }

    private void candidates(Explanation<RoutePlan> explanation) {
        // Where one is taken, routes with another path or host say nothing; where none is, they may be what was meant.
        List<Candidate<RoutePlan>> shown = explanation.candidates().stream()
                .filter(each -> explanation.winner() == null
                        || (each.verdict() != Verdict.PATH && each.verdict() != Verdict.HOST))
                .toList();
        if (shown.size() <= 1 && explanation.winner() != null) {
            return;
        }
        text.append("\ncandidates\n");
        List<Candidate<RoutePlan>> first = shown.subList(0, Math.min(shown.size(), CANDIDATES_MAX));
        int idWidth =
                first.stream().mapToInt(each -> each.rule().id().length()).max().orElse(0) + 2;
        int pathWidth =
                first.stream().mapToInt(each -> place(each).length()).max().orElse(0) + 2;
        for (Candidate<RoutePlan> each : first) {
            String verdict = switch (each.verdict()) {
                case WINS -> "taken";
                case LESS_SPECIFIC -> "less specific";
                default -> each.reason();
            };
            text.append("  ")
                    .append(pad(each.rule().id(), idWidth))
                    .append(pad(place(each), pathWidth))
                    .append(verdict)
                    .append('\n');
        }
        if (shown.isEmpty()) {
            text.append("  none: this listener has no routes\n");
        } else if (shown.size() > first.size()) {
            text.append("  and ")
                    .append(Wording.count(shown.size() - first.size(), "other"))
                    .append('\n');
        }
    }

    private static String place(Candidate<RoutePlan> candidate) {
        String host = candidate.rule().host();
        return (host == null ? "" : host) + candidate.rule().path();
    }

    /** What sigma.json says of a Route and all that it leads to. */
    private record Found(
            RouterConfig router,
            PlacedRoute placed,
            RouteConfig route,
            @Nullable Target target) {}

    private record Target(ProxyPassConfig pass, UpstreamConfig upstream) {}

    private @Nullable Found find(RouteRule<RoutePlan> rule) {
        for (RouterConfig router : config.routers()) {
            boolean hosts = rule.host() == null
                    ? router.virtualHosts().isEmpty()
                    : router.virtualHosts().contains(rule.host());
            boolean here = listener != null && router.listenerId().equals(listener.id());
            for (PlacedRoute placed :
                    here && hosts ? PlacedRoute.of(router, config.routers()) : List.<PlacedRoute>of()) {
                if (placed.id().equals(rule.id()) && placed.path().equals(rule.path())) {
                    return found(router, placed);
                }
            }
        }
        return null;
    }

    private @Nullable Found found(RouterConfig router, PlacedRoute placed) {
        RouteConfig route = placed.found();
        Target target = target(route.proxyPassId());
        return target != null || route.proxyPassId().isEmpty() ? new Found(router, placed, route, target) : null;
    }

    private @Nullable Target target(String proxyPassId) {
        for (ProxyPassConfig pass : config.proxyPasses()) {
            for (UpstreamConfig upstream : config.upstreams()) {
                if (pass.id().equals(proxyPassId) && upstream.id().equals(pass.upstreamId())) {
                    return new Target(pass, upstream);
                }
            }
        }
        return null;
    }

    void line(String label, String value) {
        text.append("  ").append(pad(label, LABEL_CHARS)).append(value).append('\n');
    }

    private static String pad(String value, int width) {
        return value.length() >= width ? value : value + " ".repeat(width - value.length());
    }
}
