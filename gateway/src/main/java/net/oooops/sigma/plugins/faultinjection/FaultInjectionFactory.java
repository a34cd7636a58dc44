package net.oooops.sigma.plugins.faultinjection;

import java.time.Duration;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Makes {@code fault-injection}. */
public final class FaultInjectionFactory implements PluginFactory {
    private static final int AT_ONCE_DEFAULT = 1000;
    private static final int AT_ONCE_LIMIT = 100_000;
    private static final int STATUS_DEFAULT = 503;
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final Field NO_STORE = Field.of("Cache-Control", "no-store");

    private static final String SCHEMA = """
            {
              "title": "fault-injection",
              "description": "Delays requests, and answers some with a failure, on purpose: to see what clients do then. With both, what fails does so after the delay.",
              "x-role": "sees-requests",
              "x-answers": true,
              "type": "object",
              "additionalProperties": false,
              "anyOf": [{ "required": ["delay"] }, { "required": ["abort"] }],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "header": {
                  "title": "header",
                  "description": "Only requests with this field are meant. Left out: all.",
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["name"],
                  "properties": {
                    "name": {
                      "title": "name",
                      "description": "The field's name.",
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 100
                    },
                    "exact": {
                      "title": "exact",
                      "description": "The value that it has. Left out: any.",
                      "type": "string",
                      "maxLength": 8192,
                      "x-secret": true
                    }
                  }
                },
                "delay": {
                  "title": "delay",
                  "description": "What is delayed, and for how long. A delay that is longer than `timeouts.plugin` ends with 500.",
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["min"],
                  "properties": {
                    "percent": {
                      "title": "percent",
                      "description": "How many of a hundred requests.",
                      "type": "integer",
                      "minimum": 1,
                      "maximum": 100,
                      "default": 100
                    },
                    "min": {
                      "title": "min",
                      "description": "The shortest delay.",
                      "type": "string",
                      "x-expected": "a duration such as \\"250ms\\" or \\"2s\\", up to \\"5m\\""
                    },
                    "max": {
                      "title": "max",
                      "description": "The longest one: each is drawn between both. Left out: all are as long as `min`.",
                      "type": "string",
                      "x-expected": "a duration such as \\"250ms\\" or \\"2s\\", up to \\"5m\\""
                    },
                    "max-delayed": {
                      "title": "max-delayed",
                      "description": "How many requests may wait at a time; further ones go on at once.",
                      "type": "integer",
                      "minimum": 1,
                      "maximum": 100000,
                      "default": 1000
                    }
                  }
                },
                "abort": {
                  "title": "abort",
                  "description": "What fails, and how. Nothing of it goes to a node.",
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "percent": {
                      "title": "percent",
                      "description": "How many of a hundred requests.",
                      "type": "integer",
                      "minimum": 1,
                      "maximum": 100,
                      "default": 100
                    },
                    "status": {
                      "title": "status",
                      "description": "The status that they get.",
                      "type": "integer",
                      "minimum": 400,
                      "maximum": 599,
                      "default": 503
                    }
                  }
                }
              },
              "examples": [
                { "delay": { "min": "100ms", "max": "2s", "percent": 10 } },
                { "abort": { "status": 503, "percent": 5 }, "header": { "name": "X-Fault" } }
              ]
            }
            """;

    @Override
    public String name() {
        return "fault-injection";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        return new FaultInjection(
                condition(settings.get("header")),
                delay(settings.get("delay"), context),
                abort(settings.get("abort"), context));
    }

    private static Condition condition(Settings header) {
        if (!header.isPresent()) {
            return new Condition(null, null);
        }
        Settings name = header.get("name");
        if (!FieldName.isToken(name.string())) {
            throw name.unexpected("a field name, RFC 9110 section 5.1");
        }
        Settings exact = header.get("exact");
        return new Condition(FieldName.of(name.string()), exact.isPresent() ? exact.string() : null);
    }

    private static FaultInjection.@Nullable Delay delay(Settings delay, PluginContext context) {
        if (!delay.isPresent()) {
            return null;
        }
        Duration min = within(delay.get("min"), Duration.ZERO);
        Duration max = within(delay.get("max"), min);
        if (max.compareTo(min) < 0) {
            throw delay.get("max").unexpected("not less than min");
        }
        return new FaultInjection.Delay(
                (int) number(delay.get("percent"), 1, 100, 100),
                min.toMillis(),
                max.toMillis(),
                (int) number(delay.get("max-delayed"), 1, AT_ONCE_LIMIT, AT_ONCE_DEFAULT),
                context.counter("delayed", "Requests that were delayed."),
                context.counter("undelayed", "Requests that went on at once, as max-delayed others waited."));
    }

    private static Duration within(Settings duration, Duration absent) {
        Duration time = duration.duration(absent);
        if (time.isZero() || time.compareTo(LONGEST) > 0) {
            throw duration.unexpected("a duration such as \"250ms\" or \"2s\", up to \"5m\"");
        }
        return time;
    }

    private static FaultInjection.@Nullable Abort abort(Settings abort, PluginContext context) {
        if (!abort.isPresent()) {
            return null;
        }
        int status = (int) number(abort.get("status"), 400, 599, STATUS_DEFAULT);
        Response answer = Response.withBody(status, List.of(NO_STORE), new byte[0]);
        int percent = (int) number(abort.get("percent"), 1, 100, 100);
        return new FaultInjection.Abort(percent, context.reason("abort").respond(answer));
    }

    private static long number(Settings number, long least, long most, long absent) {
        long value = number.integer(absent);
        if (value < least || value > most) {
            throw number.unexpected(least + " to " + most);
        }
        return value;
    }
}
