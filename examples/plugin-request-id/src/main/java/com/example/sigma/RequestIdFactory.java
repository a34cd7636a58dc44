package com.example.sigma;

import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code example-request-id}. */
public final class RequestIdFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "example-request-id",
              "description": "Gives every request an id: a UUID of version 7 (RFC 9562), in a field of the request and of its response. An id that the client sent is kept.",
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
                "field": {
                  "title": "field",
                  "description": "The field's name.",
                  "type": "string",
                  "minLength": 1,
                  "default": "X-Request-Id"
                }
              },
              "examples": [{}, { "field": "X-Correlation-Id" }]
            }
            """;

    @Override
    public String name() {
        return "example-request-id";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings field = settings.get("field");
        String name = field.string("X-Request-Id");
        // What the schema can't say is a problem with its place in sigma.json, found before the gateway starts.
        if (!FieldName.isToken(name) || FieldName.of(name).isOfTheConnection()) {
            throw field.unexpected("the name of a field that a plugin may write");
        }
        return new RequestId(FieldName.of(name));
    }
}
