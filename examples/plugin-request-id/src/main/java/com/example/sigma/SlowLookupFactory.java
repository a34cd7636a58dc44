package com.example.sigma;

import java.time.Duration;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code slow-lookup}. */
public final class SlowLookupFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "slow-lookup",
              "description": "Looks up the client of each request somewhere slow, as with JDBC, and tells the server its name in X-Client-Name. Here the table is made up and only the wait is real.",
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
                "delay": {
                  "title": "delay",
                  "description": "How long a look-up takes.",
                  "type": "string",
                  "pattern": "^[1-9][0-9]{0,5}(ms|s|m|h)$",
                  "default": "100ms"
                }
              },
              "examples": [{}, { "delay": "20ms" }]
            }
            """;

    @Override
    public String name() {
        return "slow-lookup";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        return new SlowLookup(settings.get("delay").duration(Duration.ofMillis(100)));
    }
}
