package net.oooops.sigma.snapshot;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.route.RoutePath;

/**
 * Looks for parameters that plugins of routes name and the path hasn't. A route of a router that others lead into has several paths: what one of them has
 * is there. Of servers, routers and proxy-passes nobody knows which paths pass.
 *
 * <p>For one Snapshot, one thread.
 */
final class ParameterCheck {
    private final IdentityHashMap<Plugin, PluginConfig> written = new IdentityHashMap<>();
    private final Map<String, SnapshotProblem> missing = new LinkedHashMap<>();
    private final Set<String> found = new HashSet<>();

    /** That plugin was made of this. */
    void written(Plugin plugin, PluginConfig config) {
        written.put(plugin, config);
    }

    /**
     * These stand on a route by which requests with such a path pass.
     *
     * @param path all of it, such as {@code /a/:id/*}
     */
    void look(List<Chain.Link> plugins, String path) {
        for (Chain.Link each : plugins) {
            List<PathParameter> named = each.plugin().parameters();
            PluginConfig config = written.get(each.plugin());
            if (config != null && !named.isEmpty()) {
                look(named, config.place().pointer(), path);
            }
        }
    }

    private void look(List<PathParameter> named, String plugin, String path) {
        List<String> there = RoutePath.of(path).segments().stream()
                .filter(segment -> segment.startsWith(":"))
                .toList();
        for (PathParameter each : named) {
            String name = ":" + each.name();
            String pointer = plugin + each.pointer();
            if (there.contains(name)) {
                found.add(pointer + " " + name);
            } else {
                String has = there.isEmpty() ? "which has none" : String.join(", ", there);
                String expected = "a parameter of the route's path, " + has;
                missing.putIfAbsent(pointer + " " + name, new SnapshotProblem(pointer, "\"" + name + "\"", expected));
            }
        }
    }

    /** Those that no path has, each a problem. */
    List<SnapshotProblem> problems() {
        missing.keySet().removeAll(found);
        return List.copyOf(missing.values());
    }
}
