package net.oooops.sigma.plugins.headers;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code headers}. */
public final class HeadersFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "headers",
              "description": "Removes, sets and adds header fields, in that order, and then sets those that have facts of the request in them. Fields that frame the message or belong to one connection (Connection, Content-Length, Host, Keep-Alive, Proxy-Connection, TE, Trailer, Transfer-Encoding, Upgrade) are Sigma's own and refused.",
              "x-role": "sees-requests",
              "type": "object",
              "additionalProperties": false,
              "x-expected-key": "\\"request\\" or \\"response\\", with fields in \\"set\\", \\"add\\", \\"set-template\\" or \\"remove\\" of it",
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "request": %s,
                "response": %s
              },
              "examples": [
                { "request": { "set": { "X-Env": "test" }, "remove": ["Cookie"] } },
                { "request": { "set-template": { "X-Tenant": "{param:tenant}", "X-Real-Ip": "{client-address}" } } },
                { "response": { "add": { "Link": ["</a.css>; rel=preload", "</b.js>; rel=preload"] }, "remove": ["Server"] } }
              ]
            }
            """.formatted(
                    sideSchema("request", "requests, before they go upstream"),
                    sideSchema("response", "responses, before they go to the client"));

    private static String sideSchema(String title, String what) {
        return """
                {
                  "title": "%s",
                  "description": "Edits of %s.",
                  "type": "object",
                  "additionalProperties": false,
                  "x-expected-key": "\\"set\\", \\"add\\", \\"set-template\\" or \\"remove\\", with fields in it",
                  "properties": {
                    "remove": {
                      "title": "remove",
                      "description": "Names of fields to remove, in any letter case. Of requests those that have `_` for `-` go, too, unless the name has a `_` itself.",
                      "type": "array",
                      "items": { "type": "string", "minLength": 1 },
                      "default": []
                    },
                    "set": {
                      "title": "set",
                      "description": "Fields that take the place of those of the same name, of requests also of those that differ in `_` and `-` only: name and value.",
                      "type": "object",
                      "additionalProperties": { "type": "string", "x-secret": true },
                      "default": {}
                    },
                    "add": {
                      "title": "add",
                      "description": "Fields to add, whether or not there are some of the same name: name and value, or name and several values.",
                      "type": "object",
                      "additionalProperties": {
                        "anyOf": [
                          { "type": "string", "x-secret": true },
                          { "type": "array", "items": { "type": "string", "x-secret": true }, "minItems": 1 }
                        ]
                      },
                      "default": {}
                    },
                    "set-template": {
                      "title": "set-template",
                      "description": "Fields as under `set`, in whose values names in braces stand for what the request has: `{client-address}`, `{peer-address}`, `{host}`, `{method}`, `{path}`, `{query}`, `{scheme}`, `{router}`, `{route}`, `{upstream}`, `{consumer}`, `{request-id}`, `{tls-version}`, `{tls-host}`, `{header:Name}` for a field of the request, `{param:name}` for a parameter of the route's path, `{metadata:key}` for a value of `metadata`. `{{` and `}}` are braces. Where one isn't there, or can't stand in a field, no field of that name goes on.",
                      "type": "object",
                      "maxProperties": 100,
                      "additionalProperties": { "type": "string", "maxLength": 8192 },
                      "default": {}
                    }
                  }
                }""".formatted(title, what);
    }

    @Override
    public String name() {
        return "headers";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        return new Headers(edits(settings.get("request"), true), edits(settings.get("response"), false));
    }

    private static Edits edits(Settings side, boolean ofRequests) {
        List<FieldName> removed = new ArrayList<>();
        for (Settings name : side.get("remove").elements()) {
            removed.add(name(name, name.string()));
        }
        List<Field> set = new ArrayList<>();
        List<Field> added = new ArrayList<>();
        Settings toSet = side.get("set");
        for (String name : toSet.keys()) {
            set.add(field(name, toSet.get(name)));
        }
        Settings toAdd = side.get("add");
        for (String name : toAdd.keys()) {
            Settings value = toAdd.get(name);
            List<Settings> values = value.isList() ? value.elements() : List.of(value);
            values.forEach(one -> added.add(field(name, one)));
        }
        List<Template> templates = new ArrayList<>();
        Settings withFacts = side.get("set-template");
        for (String name : withFacts.keys()) {
            templates.add(Template.of(name(withFacts.get(name), name), withFacts.get(name)));
        }
        return new Edits(
                removed.toArray(FieldName[]::new),
                set.toArray(Field[]::new),
                added.toArray(Field[]::new),
                templates.toArray(Template[]::new),
                ofRequests);
    }

    private static Field field(String name, Settings value) {
        FieldName checked = name(value, name);
        if (!Field.isValue(value.string())) {
            throw value.unexpected("a field value, RFC 9110 section 5.5: no control characters, no space at its ends");
        }
        return Field.of(checked, value.string());
    }

    private static FieldName name(Settings place, String name) {
        if (!FieldName.isToken(name)) {
            throw place.unexpected("a field name, RFC 9110 section 5.1; \"" + name + "\" isn't one");
        }
        FieldName checked = FieldName.of(name);
        if (checked.isOfTheConnection()) {
            String host = name.equalsIgnoreCase("Host")
                    ? ": \"preserve-host\" of a proxy-pass says which Host nodes get"
                    : "";
            throw place.unexpected("a field that a plugin may write; " + name + " is Sigma's own" + host);
        }
        return checked;
    }
}
