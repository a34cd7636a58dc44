package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A route where requests find it: one of a router that sees those of a listener, or one of a router that such a route leads into ({@code sub-router}),
 * below the path of that one.
 *
 * @param router that it is written in
 * @param route as it is written
 * @param steps the routes that lead to it, the outermost first; none where its own router sees the listener's requests
 */
public record PlacedRoute(RouterConfig router, RouteConfig route, List<Step> steps) {
    private static final String REST = "/*";

    /**
     * A route that leads into another router.
     *
     * @param router that it is written in
     * @param route as it is written
     * @param to the router
     */
    public record Step(RouterConfig router, RouteConfig route, RouterConfig to) {
        /** What is cut off of the path; empty where it is for all paths. */
        public String prefix() {
            return prefixOf(route.path());
        }
    }

    public PlacedRoute {
        steps = List.copyOf(steps);
    }

    /** What a path that ends with {@code /*} has before that. */
    static String prefixOf(String path) {
        return path.endsWith(REST) ? path.substring(0, path.length() - REST.length()) : "";
    }

    /**
     * The routes of a router, and of those that they lead into, in the order written.
     *
     * @param all the routers that there are; no loop in them
     */
    public static List<PlacedRoute> of(RouterConfig router, List<RouterConfig> all) {
        Map<String, RouterConfig> byId = new HashMap<>();
        all.forEach(each -> byId.put(each.id(), each));
        List<PlacedRoute> placed = new ArrayList<>();
        place(router, List.of(), byId, placed);
        return placed;
    }

    private static void place(
            RouterConfig router, List<Step> steps, Map<String, RouterConfig> byId, List<PlacedRoute> placed) {
        for (RouteConfig route : router.routes()) {
            if (route.subRouterId().isEmpty()) {
                placed.add(new PlacedRoute(router, route, steps));
                continue;
            }
            RouterConfig to = byId.get(route.subRouterId());
            if (to != null) {
                // One that isn't there is switched off.
                List<Step> further = new ArrayList<>(steps);
                further.add(new Step(router, route, to));
                place(to, further, byId, placed);
            }
        }
    }

    /** The id that it has there: those of the routes that lead to it before its own, with slashes, which ids don't have. */
    public String id() {
        StringBuilder id = new StringBuilder();
        steps.forEach(step -> id.append(step.route.id()).append('/'));
        return id.append(route.id()).toString();
    }

    /** Its path there. */
    public String path() {
        if (steps.isEmpty()) {
            return route.path();
        }
        StringBuilder path = new StringBuilder();
        steps.forEach(step -> path.append(step.prefix()));
        return path.append(route.path().equals("*") ? REST : route.path()).toString();
    }

    /** The route as one that were written there; with its own plugins alone. */
    public RouteConfig found() {
        if (steps.isEmpty()) {
            return route;
        }
        return new RouteConfig(
                id(),
                route.desc(),
                path(),
                route.allowMethods(),
                route.consumes(),
                route.produces(),
                together(RouteConfig::headers),
                together(RouteConfig::queries),
                route.proxyPassId(),
                route.plugins());
    }

    private List<ValueMatch> together(Function<RouteConfig, List<ValueMatch>> of) {
        List<ValueMatch> all = new ArrayList<>();
        steps.forEach(step -> all.addAll(of.apply(step.route)));
        all.addAll(of.apply(route));
        return all;
    }
}
