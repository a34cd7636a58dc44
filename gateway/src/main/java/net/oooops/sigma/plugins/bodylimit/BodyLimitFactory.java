package net.oooops.sigma.plugins.bodylimit;

import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;

/** Makes {@code body-limit}. */
public final class BodyLimitFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "body-limit",
              "description": "A smaller bound for bodies of requests than `limits.body` of the server, which holds before it. A request that names a larger length gets 413 before anything goes to a node. Of one that names none, up to `max` goes on as it comes; with more the request ends with 413, and the node's is cut.",
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
                "max": {
                  "title": "max",
                  "description": "The largest body, such as `\\"64KiB\\"`; `\\"0B\\"`: none with a byte.",
                  "type": "string",
                  "pattern": "^(0|[1-9][0-9]{0,8})(B|KiB|MiB|GiB)$",
                  "x-expected": "a size such as \\"512B\\", \\"8KiB\\" or \\"1MiB\\""
                },
                "whole": {
                  "title": "whole",
                  "description": "Whether nothing goes to a node before all of the body is there: then none sees a part of one that is too large. Plugins before it decide without the body, those behind it wait for it. `limits.buffered-body` holds, too.",
                  "type": "boolean",
                  "default": false
                }
              },
              "examples": [{ "max": "64KiB" }, { "max": "8KiB", "whole": true }]
            }
            """;

    @Override
    public String name() {
        return "body-limit";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings max = settings.get("max");
        long bytesMax = max.bytes(-1);
        if (bytesMax < 0) {
            throw max.unfit("a size such as \"512B\", \"8KiB\" or \"1MiB\"");
        }
        boolean whole = settings.get("whole").bool(false);
        if (whole && (bytesMax < 1 || bytesMax > Integer.MAX_VALUE)) {
            throw max.unexpected("1B to 2 GiB less a byte where whole is true");
        }
        Response tooLarge = Response.line(413, "The request body is too large.");
        Reason reason = context.reason("too-large");
        return new BodyLimit(bytesMax, whole, reason, reason.respond(tooLarge));
    }
}
