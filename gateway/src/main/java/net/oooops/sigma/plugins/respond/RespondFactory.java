package net.oooops.sigma.plugins.respond;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;

/** Makes {@code respond}. */
public final class RespondFactory implements PluginFactory {
    private static final int STATUS_DEFAULT = 200;
    private static final int BODY_BYTES_MAX = 1 << 20;
    private static final FieldName CONTENT_TYPE = FieldName.of("Content-Type");

    private static final String SCHEMA = """
            {
              "title": "respond",
              "description": "Answers every request with the same, whatever it is: a page while something is repaired, a stub of what isn't there yet, a robots.txt. Nothing goes to a node, and plugins behind it don't see the request. HEAD gets the same without the body.",
              "x-role": "sees-requests",
              "x-answers": true,
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "status": {
                  "title": "status",
                  "description": "The status of the answer. One with 204 or 304 has no body.",
                  "type": "integer",
                  "minimum": 200,
                  "maximum": 599,
                  "default": 200
                },
                "body": {
                  "title": "body",
                  "description": "The body, written in UTF-8: at most 1 MiB.",
                  "type": "string",
                  "maxLength": 1048576,
                  "default": ""
                },
                "json": {
                  "title": "json",
                  "description": "The body as a value of JSON, in the place of `body`."
                },
                "content-type": {
                  "title": "content-type",
                  "description": "The media type of the body. Left out: `text/plain; charset=utf-8` for `body`, `application/json` for `json`, none where there is no body.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 256
                },
                "headers": {
                  "title": "headers",
                  "description": "Fields of the answer: name and value, or name and several values.",
                  "type": "object",
                  "maxProperties": 100,
                  "additionalProperties": {
                    "anyOf": [
                      { "type": "string", "maxLength": 8192 },
                      { "type": "array", "items": { "type": "string", "maxLength": 8192 }, "minItems": 1, "maxItems": 100 }
                    ]
                  },
                  "default": {}
                }
              },
              "examples": [
                { "status": 503, "body": "Back at noon.", "headers": { "Retry-After": "3600", "Cache-Control": "no-store" } },
                { "json": { "items": [], "next": null } },
                { "body": "<h1>Hello</h1>", "content-type": "text/html; charset=utf-8" },
                { "status": 204 }
              ]
            }
            """;

    @Override
    public String name() {
        return "respond";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        int status = status(settings.get("status"));
        byte[] body = body(settings);
        if ((status == 204 || status == 304) && body.length > 0) {
            throw settings.get("status").unexpected("a status with a body; " + status + " has none");
        }
        return new Respond(Outcome.respond(Response.withBody(status, fields(settings, body.length > 0), body)));
    }

    private static int status(Settings status) {
        long code = status.integer(STATUS_DEFAULT);
        if (code < 200 || code > 599) {
            throw status.unfit("200 to 599");
        }
        return (int) code;
    }

    private static byte[] body(Settings settings) {
        Settings json = settings.get("json");
        Settings text = settings.get("body");
        if (json.isPresent() && text.isPresent()) {
            throw json.unexpected("either body or json");
        }
        String written = json.isPresent() ? JsonText.of(json.tree()) + "\n" : text.string("");
        byte[] body = written.getBytes(StandardCharsets.UTF_8);
        if (body.length > BODY_BYTES_MAX) {
            throw (json.isPresent() ? json : text).unexpected("at most 1 MiB in UTF-8");
        }
        return body;
    }

    private static List<Field> fields(Settings settings, boolean hasBody) {
        List<Field> fields = new ArrayList<>();
        Settings type = settings.get("content-type");
        if (type.isPresent()) {
            fields.add(field("Content-Type", type));
        } else if (hasBody) {
            boolean isJson = settings.get("json").isPresent();
            fields.add(Field.of(CONTENT_TYPE, isJson ? "application/json" : "text/plain; charset=utf-8"));
        }
        Settings headers = settings.get("headers");
        for (String name : headers.keys()) {
            Settings value = headers.get(name);
            List<Settings> values = value.isList() ? value.elements() : List.of(value);
            values.forEach(one -> fields.add(field(name, one)));
        }
        return fields;
    }

    private static Field field(String name, Settings value) {
        if (!FieldName.isToken(name)) {
            throw value.unexpected("a field name, RFC 9110 section 5.1; \"" + name + "\" isn't one");
        }
        FieldName checked = FieldName.of(name);
        if (checked.isOfTheConnection()) {
            throw value.unexpected("a field that a plugin may write; " + name + " is Sigma's own");
        }
        if (checked.equals(CONTENT_TYPE) && value.pointer().startsWith("/headers/")) {
            throw value.unexpected("content-type beside headers, not in it");
        }
        if (!Field.isValue(value.string())) {
            throw value.unexpected("a field value, RFC 9110 section 5.5: no control characters, no space at its ends");
        }
        return Field.of(checked, value.string());
    }
}
