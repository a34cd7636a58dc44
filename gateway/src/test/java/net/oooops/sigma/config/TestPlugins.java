package net.oooops.sigma.config;

import java.util.Map;
import java.util.TreeMap;

/** Schemas of plugins that exist for these tests alone. */
final class TestPlugins {

    private TestPlugins() {}

    /** Schema texts by plugin name. */
    static Map<String, String> schemas() {
        Map<String, String> schemas = new TreeMap<>();
        for (String name : new String[] {"rewrite-path", "x-frame", "hsts", "csp", "cors", "tune"}) {
            schemas.put(name, TestFiles.text("plugins/" + name + ".json"));
        }
        return schemas;
    }
}
