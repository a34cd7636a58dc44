package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one router, in a file. Of those whose text was there before, and right, no check needs more than their ids, their paths and where they lead: each
 * pass over ten thousand routes that looks for nothing costs more than to look at those that were changed.
 */
final class RoutesJson extends Json {
    private static final String KEY = "route";

    /** Null until somebody asks. */
    private @Nullable Looked looked;

    /**
     * What there is to look at.
     *
     * @param count of all: another file may have added some to the same router since
     * @param unknown the indices of those that have to be
     * @param passes the ids of the proxy-passes that the others lead to
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Looked(int count, int[] unknown, Set<String> passes) {}

    RoutesJson(Anchor anchor, List<Json> items, int line, int column) {
        super(anchor, Kind.ARRAY, items, line, column);
    }

    /** The routes of a router that have to be looked at. */
    static List<Json> unknown(Json router) {
        Json routes = router.get(KEY);
        return routes == null ? List.of() : routes.unknown();
    }

    /** The ids of the proxy-passes that the other ones lead to. */
    static Collection<String> passes(Json router) {
        return router.get(KEY) instanceof RoutesJson routes ? routes.looked().passes : Set.of();
    }

    @Override
    List<Json> unknown() {
        List<Json> all = items();
        int[] unknown = looked().unknown;
        // By their places, as another value may have taken that of one.
        if (unknown.length == all.size()) {
            return all;
        }
        List<Json> left = new ArrayList<>(unknown.length);
        for (int i : unknown) {
            left.add(all.get(i));
        }
        return left;
    }

    private Looked looked() {
        Looked there = looked;
        if (there == null || there.count != items().size()) {
            there = look();
            looked = there;
        }
        return there;
    }

    private Looked look() {
        List<Json> all = items();
        int[] unknown = new int[all.size()];
        int count = 0;
        Set<String> passes = new LinkedHashSet<>();
        for (int i = 0; i < unknown.length; i++) {
            RouteConfig known = RouteJson.known(all.get(i));
            if (known == null) {
                unknown[count++] = i;
            } else {
                passes.add(known.proxyPassId());
            }
        }
        return new Looked(unknown.length, Arrays.copyOf(unknown, count), passes);
    }
}
