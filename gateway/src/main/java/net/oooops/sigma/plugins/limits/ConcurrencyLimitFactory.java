package net.oooops.sigma.plugins.limits;

import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;

/** Makes {@code concurrency-limit}. */
public final class ConcurrencyLimitFactory implements PluginFactory {
    private static final int STATUS_DEFAULT = 429;

    private static final String MAX = """
            {
              "title": "max",
              "description": "How many may be under way.",
              "type": "integer",
              "minimum": 1,
              "maximum": 1000000
            }""";

    private static final String SCHEMA = """
            {
              "title": "concurrency-limit",
              "description": "How many requests with the same key may be under way at once. One counts from when it comes until its exchange ends, however it ends: one that became a WebSocket or another tunnel until that is closed. Those beyond are answered with `status` and Retry-After: 1. Counted over all Workers, exactly.",
              "x-role": "sees-requests",
              "type": "object",
              "additionalProperties": false,
              "required": ["max"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "max":
            """ + MAX + """
                ,
                "plans": {
                  "title": "plans",
                  "description": "Another `max` for consumers that have booked a plan: whose `X-Consumer-Plan` says its `id`, as `fields` of `key-auth`, `basic-auth` and `client-certificate` give it, or `claims` of `jwt` and `oidc`. For all others `max` beside holds. Each plan is counted by itself.",
                  "type": "array",
                  "maxItems": 64,
                  "items": {
                    "title": "plan",
                    "description": "A plan.",
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["id", "max"],
                    "properties": {
                      "id":
            """ + ByPlan.ID_SCHEMA + """
                      ,
                      "max":
            """ + MAX + """
                    }
                  }
                },
            """ + KeyedBy.SCHEMA + """
                "status": {
                  "title": "status",
                  "description": "What those beyond get: 429, as the client asks for too much, or 503, as there is too much to do.",
                  "enum": [429, 503],
                  "default": 429
                }
              },
              "examples": [
                { "max": 20 },
                { "max": 200, "by": "route", "status": 503 },
                { "max": 2, "plans": [{ "id": "gold", "max": 50 }], "by": "consumer" }
              ]
            }
            """;

    @Override
    public String name() {
        return "concurrency-limit";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        int status = Math.toIntExact(settings.get("status").integer(STATUS_DEFAULT));
        Outcome refused = context.reason("too-many-at-once")
                .respond(Response.line(status, "Too many requests at once.", Field.of("Retry-After", "1")));
        return new ConcurrencyLimit(
                KeyedBy.read(settings, context),
                ByPlan.read(
                        settings,
                        (plan, of) -> ConcurrencyLimit.Room.of(
                                Math.toIntExact(of.get("max").integer(1)))),
                refused,
                context.gauge("in_flight", "Requests that count, under way now."));
    }
}
