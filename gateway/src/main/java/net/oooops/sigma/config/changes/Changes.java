package net.oooops.sigma.config.changes;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is different in two configurations, by kind. Only names are in it, never a value, which might be secret. Immutable.
 *
 * @param listeners by id, of all protocols
 * @param routers by id
 * @param routes as {@code router/route}; those of a TCP server as {@code server/route}
 * @param proxyPasses by id
 * @param upstreams by id; what has changed of one names its nodes that came ({@code +}) and went ({@code -}), too
 * @param nodes as {@code upstream/host:port}
 * @param plugins by where they stand and their name: {@code listener public / cors}
 * @param certificates by who shows them and for which host: {@code https / example.com}
 * @param settings what holds for all of it, by its keys in sigma.json: {@code runtime.transport}
 * @param restart settings that only a restart brings into effect: the process was started with others
 */
public record Changes(
        Kind listeners,
        Kind routers,
        Kind routes,
        Kind proxyPasses,
        Kind upstreams,
        Kind nodes,
        Kind plugins,
        Kind certificates,
        Kind settings,
        List<String> restart) {
    /** So many names of one sort are in the text. */
    static final int NAMES_MAX = 10;

    public Changes {
        restart = List.copyOf(restart);
    }

    /**
     * One that is in both, and not the same.
     *
     * @param name of it
     * @param what is different, by the keys of sigma.json; empty where there is nothing finer to say
     */
    public record Changed(String name, List<String> what) {
        public Changed {
            what = List.copyOf(what);
        }

        @Override
        public String toString() {
            return what.isEmpty() ? name : name + ": " + Changes.names(what);
        }
    }

    /**
     * All of one kind.
     *
     * @param title what the kind is called, in plural
     * @param added those that are new, in the order of the new configuration
     * @param changed those that are others now, in the same order
     * @param removed those that are gone, in the order of the old one
     * @param keptCount how many are as they were
     */
    public record Kind(String title, List<String> added, List<Changed> changed, List<String> removed, int keptCount) {
        public Kind {
            added = List.copyOf(added);
            changed = List.copyOf(changed);
            removed = List.copyOf(removed);
        }

        /** The same, beside so many others that are as they were. */
        Kind with(int others) {
            return new Kind(title, added, changed, removed, keptCount + others);
        }

        /** Whether all are as they were. */
        public boolean isSame() {
            return added.isEmpty() && changed.isEmpty() && removed.isEmpty();
        }

        /** {@code upstreams: 1 added (shop), 1 changed (api: rule-strategy), 3 kept}. */
        String text() {
            List<String> parts = new ArrayList<>();
            part(parts, "added", added);
            part(parts, "changed", changed.stream().map(Changed::toString).toList());
            part(parts, "removed", removed);
            if (keptCount > 0) {
                parts.add(keptCount + " kept");
            }
            return title + ": " + String.join(", ", parts);
        }

        private static void part(List<String> to, String word, List<String> names) {
            if (!names.isEmpty()) {
                to.add(names.size() + " " + word + " (" + Changes.names(names) + ")");
            }
        }

        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("added", added);
            json.put(
                    "changed",
                    changed.stream()
                            .map(each -> Map.of("name", each.name(), "what", each.what()))
                            .toList());
            json.put("removed", removed);
            json.put("kept", keptCount);
            return json;
        }
    }

    /** All kinds, in the order in which they are shown. */
    public List<Kind> kinds() {
        return List.of(listeners, routers, routes, proxyPasses, upstreams, nodes, plugins, certificates, settings);
    }

    /** Whether the two say the same. */
    public boolean isNothing() {
        return kinds().stream().allMatch(Kind::isSame);
    }

    /** A line for each kind in which something is different, and one for what takes a restart; each ends with a line end. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Kind each : kinds()) {
            if (!each.isSame()) {
                text.append(each.text()).append('\n');
            }
        }
        if (text.isEmpty()) {
            text.append("nothing changes\n");
        }
        if (!restart.isEmpty()) {
            text.append(restartText(restart)).append('\n');
        }
        return text.toString();
    }

    /** What is said of settings that only a restart brings into effect: one line, without a line end. */
    public static String restartText(List<String> settings) {
        return "takes a restart: " + String.join(", ", settings);
    }

    /** The same as a plain tree of maps, lists, texts and numbers. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        kinds().forEach(kind -> json.put(kind.title(), kind.json()));
        json.put("restart", restart);
        return json;
    }

    /** The first of them, and how many more there are. */
    static String names(List<String> names) {
        if (names.size() <= NAMES_MAX) {
            return String.join(", ", names);
        }
        return String.join(", ", names.subList(0, NAMES_MAX)) + " and " + (names.size() - NAMES_MAX) + " more";
    }
}
