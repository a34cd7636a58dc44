package net.oooops.sigma.plugins.serverversion;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code server-version}. */
public final class ServerVersionFactory implements PluginFactory {
    private static final List<String> REMOVED_DEFAULT = List.of(
            "Server", "X-Powered-By", "X-AspNet-Version", "X-AspNetMvc-Version", "X-Generator", "X-Powered-CMS");

    private static final String SCHEMA = """
            {
              "title": "server-version",
              "description": "Removes the fields of responses that say which server, framework and version answers: who knows them knows which attacks to try.",
              "x-role": "sees-responses",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "remove": {
                  "title": "remove",
                  "description": "The fields, in any letter case, in the place of those that are removed by default.",
                  "type": "array",
                  "maxItems": 100,
                  "items": { "type": "string", "minLength": 1, "maxLength": 100 },
                  "default": ["Server", "X-Powered-By", "X-AspNet-Version", "X-AspNetMvc-Version", "X-Generator", "X-Powered-CMS"]
                },
                "server": {
                  "title": "server",
                  "description": "What `Server` says in every response instead. Left out: what `remove` leaves.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 256
                }
              },
              "examples": [{}, { "server": "example" }, { "remove": ["X-Powered-By", "X-Runtime"] }]
            }
            """;

    @Override
    public String name() {
        return "server-version";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings remove = settings.get("remove");
        List<FieldName> removed = new ArrayList<>();
        for (Settings each : remove.elements()) {
            String name = each.string();
            if (!FieldName.isToken(name) || FieldName.of(name).isOfTheConnection()) {
                throw each.unexpected("the name of a field that a plugin may remove");
            }
            removed.add(FieldName.of(name));
        }
        if (!remove.isPresent()) {
            REMOVED_DEFAULT.forEach(name -> removed.add(FieldName.of(name)));
        }
        Settings server = settings.get("server");
        if (server.isPresent() && !Field.isValue(server.string())) {
            throw server.unfit("a field value, RFC 9110 section 5.5: no control characters, no space at its ends");
        }
        return new ServerVersion(
                removed.toArray(FieldName[]::new), server.isPresent() ? Field.of("Server", server.string()) : null);
    }
}
