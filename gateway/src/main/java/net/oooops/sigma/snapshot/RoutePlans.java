package net.oooops.sigma.snapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.ProxyPassConfig;
import net.oooops.sigma.config.RetryConfig;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.proxy.Affinity;
import net.oooops.sigma.proxy.CalleePlans;
import net.oooops.sigma.proxy.Forwarding;
import net.oooops.sigma.proxy.PathParameters;
import net.oooops.sigma.proxy.RoutePlan;
import net.oooops.sigma.proxy.TunnelPlan;
import net.oooops.sigma.proxy.WholeBodies;
import net.oooops.sigma.route.RoutePath;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/** Makes the plans of Routes: where each leads by itself, where its plugins may send requests, and where these ask on their own account. */
final class RoutePlans {
    private static final Chain NO_PLUGINS = Chain.of(List.of());

    private final Function<String, @Nullable Pass> passes;

    /** @param passes each proxy-pass by its id; null for one that is switched off, or whose Upstream is */
    RoutePlans(Function<String, @Nullable Pass> passes) {
        this.passes = passes;
    }

    /** A proxy-pass, and what it leads to. One for all Routes that lead there. */
    record Pass(ProxyPassConfig config, Upstream upstream, Affinity affinity, TunnelPlan tunnel) {
        Pass(ProxyPassConfig config, Upstream upstream, Affinity affinity) {
            this(config, upstream, affinity, TunnelPlan.of(config.tunnel()));
        }
    }

    /**
     * What all plans of one Route have in common.
     *
     * @param routerId empty where there is no Route
     * @param routeId empty where there is no Route
     */
    record Way(
            String routerId,
            String routeId,
            PathParameters parameters,
            Chain chain,
            WholeBodies whole,
            Forwarding forwarding) {
        /** @param routerId of the Router on the Listener by which the Route is reached */
        static Way of(String routerId, RouteConfig route, Chain chain, ListenerConfig listener, Forwarding forwarding) {
            return new Way(
                    routerId, route.id(), parameters(route), chain, WholeBodies.routed(chain, listener), forwarding);
        }

        private static PathParameters parameters(RouteConfig route) {
            return route.path().contains("/:")
                    ? PathParameters.of(RoutePath.of(route.path()).segments())
                    : PathParameters.NONE;
        }

        /** That of requests that no Route takes. */
        static Way unrouted(Chain chain, ListenerConfig listener, Forwarding forwarding) {
            return new Way("", "", PathParameters.NONE, chain, WholeBodies.unrouted(chain, listener), forwarding);
        }
    }

    /** One that leads to that proxy-pass. */
    RoutePlan leading(Way way, Pass pass, ListenerConfig listener) {
        return plan(way, pass).withTargets(targets(way, listener), callees(way, listener));
    }

    /** One that differs from that of another Route of the Router, which has no targets, in nothing but its id and path. */
    RoutePlan alike(RoutePlan other, RouteConfig route) {
        return other.of(route.id(), Way.parameters(route));
    }

    /** One that leads nowhere: its plugins answer, or send requests somewhere. */
    RoutePlan answered(Way way, ListenerConfig listener) {
        return withoutUpstream(way).withTargets(targets(way, listener), callees(way, listener));
    }

    /** That of requests that no Route takes: nobody may send them anywhere. */
    RoutePlan unrouted(Way way, ListenerConfig listener) {
        return withoutUpstream(way).withTargets(List.of(), callees(way, listener));
    }

    /**
     * Those of what plugins ask without an exchange.
     *
     * @param all each proxy-pass that leads somewhere, by its id
     */
    CalleePlans callees(Map<String, Pass> all) {
        Way nobody = Way.unrouted(NO_PLUGINS, CalleePlans.LISTENER, Forwarding.NOBODY);
        Map<String, Pass> there = Map.copyOf(all);
        return new CalleePlans(withoutUpstream(nobody), id -> {
            Pass pass = there.get(id);
            return pass == null ? null : plan(nobody, pass);
        });
    }

    private List<RoutePlan.Target> targets(Way way, ListenerConfig listener) {
        List<RoutePlan.Target> callees = callees(way, listener);
        return each(way.chain, pass -> plan(way, pass).withTargets(List.of(), callees));
    }

    private List<RoutePlan.Target> callees(Way way, ListenerConfig listener) {
        Way plain = Way.unrouted(NO_PLUGINS, listener, way.forwarding);
        return each(way.chain, pass -> plan(plain, pass));
    }

    private List<RoutePlan.Target> each(Chain chain, Function<Pass, RoutePlan> plan) {
        List<RoutePlan.Target> made = new ArrayList<>();
        for (String id : chain.targets()) {
            Pass pass = passes.apply(id);
            if (pass != null) {
                made.add(new RoutePlan.Target(id, plan.apply(pass)));
            }
        }
        return made;
    }

    private static RoutePlan plan(Way way, Pass pass) {
        ProxyPassConfig config = pass.config;
        return new RoutePlan(
                way.routerId,
                way.routeId,
                way.parameters,
                way.chain,
                way.whole,
                way.forwarding,
                pass.upstream,
                pass.affinity,
                config.preserveHost(),
                config.responseTimeoutNanos(),
                config.idleTimeoutNanos(),
                config.retry(),
                pass.tunnel,
                List.of(),
                List.of());
    }

    private static RoutePlan withoutUpstream(Way way) {
        return new RoutePlan(
                way.routerId,
                way.routeId,
                way.parameters,
                way.chain,
                way.whole,
                way.forwarding,
                null,
                Affinity.NONE,
                true,
                0,
                0,
                RetryConfig.DEFAULT,
                TunnelPlan.NONE,
                List.of(),
                List.of());
    }
}
