package net.oooops.sigma.plugins.authentication.forwardauth;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Makes {@code forward-auth}. */
public final class ForwardAuthFactory implements PluginFactory {
    private static final List<FieldName> ASKED_DEFAULT = List.of(FieldName.of("Authorization"), FieldName.of("Cookie"));

    private static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(5);

    private static final String SCHEMA = """
            {
              "title": "forward-auth",
              "description": "Asks another server about each request: a GET without a body, with the method in X-Forwarded-Method, path and query in X-Forwarded-Uri, and the fields that say who the client is. Status 2xx lets the request pass. Any other answer up to 499 goes to the client as it is, such as 401, or 302 to a page to log in. Where there is no answer, or one from 500 on, `on-failure` decides.",
              "x-role": "finds-consumer",
              "x-answers": true,
              "type": "object",
              "additionalProperties": false,
              "required": ["proxy-pass-id"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "proxy-pass-id": {
                  "title": "proxy-pass-id",
                  "description": "The proxy-pass that leads to the server. Its timeouts and retries, and the pools and health of its upstream, hold for these requests, too. It has no plugins of its own.",
                  "type": "string",
                  "minLength": 1
                },
                "path": {
                  "title": "path",
                  "description": "The path that is asked for, and a query where one is wanted.",
                  "type": "string",
                  "maxLength": 2000,
                  "pattern": "^/([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f][0-9A-Fa-f])*$",
                  "x-expected": "a path that begins with /, and perhaps a query, percent-encoded where need be",
                  "default": "/"
                },
                "request-fields": {
                  "title": "request-fields",
                  "description": "Fields of the request that the server gets.",
                  "type": "array",
                  "maxItems": 50,
                  "items": { "type": "string", "minLength": 1, "maxLength": 100 },
                  "default": ["Authorization", "Cookie"]
                },
                "node-fields": {
                  "title": "node-fields",
                  "description": "Fields of an answer that lets the request pass which its node gets. What the client sent under these names never reaches the node.",
                  "type": "array",
                  "maxItems": 50,
                  "items": { "type": "string", "minLength": 1, "maxLength": 100 },
                  "default": []
                },
                "client-fields": {
                  "title": "client-fields",
                  "description": "Fields of an answer that lets the request pass which the client gets with the response, such as Set-Cookie where a session is renewed.",
                  "type": "array",
                  "maxItems": 50,
                  "items": { "type": "string", "minLength": 1, "maxLength": 100 },
                  "default": []
                },
                "consumer-field": {
                  "title": "consumer-field",
                  "description": "The field of an answer that lets the request pass which says whom the request is from: the consumer, for the plugins that follow, the access log, and X-Consumer-Id. What the client sent under this name never reaches the node.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 100
                },
                "timeout": {
                  "title": "timeout",
                  "description": "How long the server may take, its tries included; then `on-failure` decides.",
                  "type": "string",
                  "pattern": "^[1-9][0-9]{0,5}(ms|s|m)$",
                  "x-expected": "a duration such as \\"500ms\\" or \\"5s\\"",
                  "default": "5s"
                },
                "on-failure": {
                  "title": "on-failure",
                  "description": "What becomes of a request about which the server doesn't say anything.",
                  "type": "string",
                  "oneOf": [
                    { "const": "refuse", "description": "It is answered with 503." },
                    { "const": "pass", "description": "It passes, as if nobody had been asked: for what is worth more open than closed." }
                  ],
                  "default": "refuse"
                }
              },
              "examples": [
                { "proxy-pass-id": "auth" },
                { "proxy-pass-id": "auth", "path": "/verify", "node-fields": ["X-Auth-Groups"], "consumer-field": "X-Auth-User" }
              ]
            }
            """;

    @Override
    public String name() {
        return "forward-auth";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        String onFailure = settings.get("on-failure").string("refuse").toUpperCase(Locale.ROOT);
        Outcome unavailable = onFailure.equals("PASS")
                ? Outcome.CONTINUE
                : context.reason("unavailable").respond(Response.line(503, "It can't be found out who may."));
        Settings consumer = settings.get("consumer-field");
        Settings asked = settings.get("request-fields");
        List<FieldName> toNode = names(settings.get("node-fields"));
        checkOthers(settings.get("node-fields"), toNode);
        return new ForwardAuth(
                settings.get("proxy-pass-id").string(),
                Callout.of("GET", path(settings.get("path")))
                        .bodyOfOthersWhereWhole()
                        .within(settings.get("timeout").duration(TIMEOUT_DEFAULT)),
                new ForwardAuth.Fields(
                        asked.isPresent() ? names(asked) : ASKED_DEFAULT,
                        toNode,
                        names(settings.get("client-fields")),
                        consumer.isPresent() ? name(consumer) : null),
                new ForwardAuth.Outcomes(
                        context.reason("denied"),
                        context.reason("unfit").respond(Response.line(400, "The request can't be asked about.")),
                        unavailable));
    }

    private static String path(Settings written) {
        String path = written.string("/");
        String alone = path.indexOf('?') < 0 ? path : path.substring(0, path.indexOf('?'));
        String plain = alone.toLowerCase(Locale.ROOT).replace("%2e", ".") + "/";
        if (alone.startsWith("//") || plain.contains("/./") || plain.contains("/../")) {
            throw written.unexpected("a path without // at its beginning, and without . and .. as segments");
        }
        return path;
    }

    private static List<FieldName> names(Settings written) {
        List<FieldName> names = new ArrayList<>();
        for (Settings each : written.elements()) {
            names.add(name(each));
        }
        return List.copyOf(names);
    }

    private static FieldName name(Settings written) {
        FieldName name = FieldName.isToken(written.string()) ? FieldName.of(written.string()) : null;
        if (name == null || name.isOfTheConnection()) {
            throw written.unexpected("the name of a field that isn't Sigma's own to write");
        }
        return name;
    }

    /** Whom a request is from is said by {@code consumer-field}. */
    private static void checkOthers(Settings written, List<FieldName> names) {
        @Nullable String found = names.stream()
                .map(FieldName::toString)
                .filter(name -> name.regionMatches(true, 0, Consumer.FIELD_PREFIX, 0, Consumer.FIELD_PREFIX.length()))
                .findFirst()
                .orElse(null);
        if (found != null) {
            throw written.unexpected("other names than " + found + ", which \"consumer-field\" is for");
        }
    }
}
