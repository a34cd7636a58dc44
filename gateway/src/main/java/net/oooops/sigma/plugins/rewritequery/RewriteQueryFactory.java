package net.oooops.sigma.plugins.rewritequery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code rewrite-query}. */
public final class RewriteQueryFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "rewrite-query",
              "description": "Keeps, removes, renames, sets and adds parameters of the query, in that order. Names are compared decoded, so that `%%61dmin` is `admin`; letter case counts. What isn't changed stays as it is written, in its order, and a query that loses all of it is gone. Names and values are written here as they are meant, and percent-encoded by Sigma. A query is cut at `&`; a node that cuts it elsewhere, such as at `;`, sees others.",
              "x-role": "sees-requests",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "keep-only": {
                  "title": "keep-only",
                  "description": "The only parameters that stay. Left out: all. An empty list: none.",
                  "type": "array",
                  "maxItems": 1000,
                  "items": { "type": "string", "minLength": 1, "maxLength": 1000 }
                },
                "remove": {
                  "title": "remove",
                  "description": "Parameters that don't.",
                  "type": "array",
                  "maxItems": 1000,
                  "items": { "type": "string", "minLength": 1, "maxLength": 1000 },
                  "default": []
                },
                "rename": {
                  "title": "rename",
                  "description": "By name the one that takes its place. The value stays.",
                  "type": "object",
                  "maxProperties": 1000,
                  "additionalProperties": { "type": "string", "minLength": 1, "maxLength": 1000 },
                  "default": {}
                },
                "set": {
                  "title": "set",
                  "description": "Parameters with these values, and no other of their names: name and value. Each takes the place of the first of its name, or comes last.",
                  "type": "object",
                  "maxProperties": 1000,
                  "additionalProperties": %1$s,
                  "default": {}
                },
                "add": {
                  "title": "add",
                  "description": "Parameters to add at the end, whether or not there are some of their names: name and value, or name and several values.",
                  "type": "object",
                  "maxProperties": 1000,
                  "additionalProperties": {
                    "anyOf": [%1$s, { "type": "array", "items": %1$s, "minItems": 1, "maxItems": 100 }]
                  },
                  "default": {}
                }
              },
              "examples": [
                { "set": { "version": "2" }, "remove": ["debug"] },
                { "keep-only": ["q", "page"], "rename": { "q": "query" } }
              ]
            }
            """.formatted("{ \"type\": \"string\", \"maxLength\": 4096 }");

    @Override
    public String name() {
        return "rewrite-query";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings keepOnly = settings.get("keep-only");
        Map<String, Steps.Renamed> renamed = new LinkedHashMap<>();
        Settings rename = settings.get("rename");
        for (String name : rename.keys()) {
            String to = rename.get(name).string();
            renamed.put(bytes(rename.get(name), name), new Steps.Renamed(bytes(rename.get(name), to), encoded(to)));
        }
        Map<String, String> set = new LinkedHashMap<>();
        Settings toSet = settings.get("set");
        for (String name : toSet.keys()) {
            set.put(bytes(toSet.get(name), name), parameter(name, toSet.get(name)));
        }
        List<String> added = new ArrayList<>();
        Settings toAdd = settings.get("add");
        for (String name : toAdd.keys()) {
            Settings value = toAdd.get(name);
            bytes(value, name);
            List<Settings> values = value.isList() ? value.elements() : List.of(value);
            values.forEach(each -> added.add(parameter(name, each)));
        }
        Steps steps = new Steps(
                keepOnly.isPresent() ? names(keepOnly) : null, names(settings.get("remove")), renamed, set, added);
        return new RewriteQuery(steps, steps.apply(""));
    }

    private static Set<String> names(Settings list) {
        Set<String> names = new LinkedHashSet<>();
        for (Settings name : list.elements()) {
            names.add(bytes(name, name.string()));
        }
        return Set.copyOf(names);
    }

    private static String bytes(Settings place, String name) {
        if (name.isEmpty()) {
            throw place.unexpected("a name of one character at least");
        }
        return QueryText.bytes(name);
    }

    private static String parameter(String name, Settings value) {
        return encoded(name) + "=" + encoded(value.string());
    }

    private static String encoded(String text) {
        return QueryText.encoded(text);
    }
}
