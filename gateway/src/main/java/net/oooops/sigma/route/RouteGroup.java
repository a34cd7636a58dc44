package net.oooops.sigma.route;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The routes of one virtual host, compiled. Immutable. */
final class RouteGroup<T> {
    static final String ANY_HOST = "*";

    /** In the place of a leaf: the routes for CONNECT. */
    private static final int CONNECT = RouteTrie.NONE - 1;

    private static final List<String> USUAL_METHODS =
            List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY");

    private final String host;
    private final List<CompiledRoute<T>> routes;
    /** The routes that match the target {@code *} of OPTIONS. */
    private final List<CompiledRoute<T>> asterisk;

    /** The routes that match CONNECT, which has no path: those that name it. */
    private final List<CompiledRoute<T>> connect;

    private final RouteTrie trie;
    private final List<List<CompiledRoute<T>>> leaves;

    RouteGroup(String host, List<RouteRule<T>> rules) {
        this.host = host;
        RouteTrieBuilder builder = new RouteTrieBuilder();
        List<List<CompiledRoute<T>>> byLeaf = new ArrayList<>();
        List<CompiledRoute<T>> all = new ArrayList<>();
        Map<List<String>, TakenMethods> methods = new HashMap<>();
        for (RouteRule<T> rule : rules) {
            TakenMethods taken = methods.computeIfAbsent(rule.methods(), TakenMethods::of);
            all.add(put(rule, taken, builder, byLeaf));
        }
        routes = List.copyOf(all);
        asterisk = all.stream().filter(CompiledRoute::isEverything).toList();
        connect = asterisk.stream()
                .filter(route -> route.methodNames().contains("CONNECT"))
                .toList();
        trie = builder.build();
        leaves = byLeaf.stream().map(List::copyOf).toList();
    }

    private static <R> CompiledRoute<R> put(
            RouteRule<R> rule, TakenMethods taken, RouteTrieBuilder builder, List<List<CompiledRoute<R>>> byLeaf) {
        RoutePath path = RoutePath.of(rule.path());
        CompiledRoute<R> route = new CompiledRoute<>(rule, path, taken);
        int leaf = builder.leaf(path);
        if (leaf == byLeaf.size()) {
            // Most leaves have one route.
            byLeaf.add(List.of(route));
            return route;
        }
        List<CompiledRoute<R>> there = byLeaf.get(leaf);
        if (there.size() == 1) {
            there = new ArrayList<>(there);
            byLeaf.set(leaf, there);
        }
        there.add(route);
        return route;
    }

    String host() {
        return host;
    }

    /** Whether one of its routes takes CONNECT. */
    boolean takesConnect() {
        return !connect.isEmpty();
    }

    List<CompiledRoute<T>> routes() {
        return routes;
    }

    void match(RouteQuery request, RouteMatch<T> result) {
        findLeaves(request, result);
        Verdict furthest = Verdict.PATH;
        for (int i = result.leafCount() - 1; i >= 0; i--) {
            List<CompiledRoute<T>> candidates = candidates(result.leaf(i));
            for (int j = 0; j < candidates.size(); j++) {
                CompiledRoute<T> route = candidates.get(j);
                Verdict verdict = route.judge(request);
                if (verdict == Verdict.WINS) {
                    result.hit(route.target());
                    return;
                }
                furthest = Misses.further(furthest, verdict);
            }
        }
        RouteMatch.Miss miss = Misses.of(furthest);
        result.miss(miss, miss == RouteMatch.Miss.METHOD_NOT_ALLOWED ? allow(candidates(request)) : "");
    }

    /** All routes whose path matches, the most specific first. */
    List<CompiledRoute<T>> candidates(RouteQuery request) {
        RouteMatch<T> walk = new RouteMatch<>();
        findLeaves(request, walk);
        List<CompiledRoute<T>> found = new ArrayList<>();
        for (int i = walk.leafCount() - 1; i >= 0; i--) {
            found.addAll(candidates(walk.leaf(i)));
        }
        return found;
    }

    /** The value of Allow: every method that one of these takes, in the order written. */
    static <T> String allow(List<CompiledRoute<T>> candidates) {
        Set<String> methods = new LinkedHashSet<>();
        for (CompiledRoute<T> route : candidates) {
            methods.addAll(route.methodNames());
        }
        return String.join(", ", methods);
    }

    /** The same where a method is refused whatever the routes say: a route without methods takes all of them. */
    static <T> String allowOfAny(List<CompiledRoute<T>> candidates) {
        Set<String> methods = new LinkedHashSet<>();
        boolean anyMethod = candidates.isEmpty();
        for (CompiledRoute<T> route : candidates) {
            methods.addAll(route.methodNames());
            anyMethod |= route.methodNames().isEmpty();
        }
        if (anyMethod) {
            methods.addAll(USUAL_METHODS);
        }
        return String.join(", ", methods);
    }

    private void findLeaves(RouteQuery request, RouteMatch<?> walk) {
        byte[] path = request.bytes();
        int start = request.pathStart();
        int end = request.pathEnd();
        if (end > start && path[start] == '/') {
            trie.walk(path, start, end, walk);
        } else {
            walk.reset();
            if (end == start) {
                walk.pushLeaf(CONNECT);
            } else if (end - start == 1 && path[start] == '*') {
                walk.pushLeaf(RouteTrie.NONE);
            }
        }
    }

    private List<CompiledRoute<T>> candidates(int leaf) {
        return switch (leaf) {
            case RouteTrie.NONE -> asterisk;
            case CONNECT -> connect;
            default -> leaves.get(leaf);
        };
    }
}
