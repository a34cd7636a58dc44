package net.oooops.sigma.plugins.mirror;

import java.math.BigDecimal;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code mirror}. */
public final class MirrorFactory implements PluginFactory {
    private static final int BODY_BYTES_MAX_DEFAULT = 64 * 1024;
    private static final int COPIES_MAX_DEFAULT = 100;
    private static final long HELD_BYTES_MAX = 64 << 20;

    private static final String SCHEMA = """
            {
              "title": "mirror",
              "description": "Sends copies of requests to the nodes of another proxy-pass, such as those of a new version, and throws the answers away. A copy is what the node of the request has got, and sent when the request has been answered: nothing that becomes of the copy is felt by the client. What the copies of POST and the like do is done twice, unless their nodes know better. Requests that no node has got whole aren't copied, nor are CONNECT, `OPTIONS *`, and requests that ask for another protocol.",
              "x-role": "sees-requests",
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
                  "description": "The proxy-pass that the copies go to: best one with an upstream of its own, as copies wait for the same connections otherwise. It has no plugins of its own.",
                  "type": "string",
                  "minLength": 1
                },
                "percent": {
                  "title": "percent",
                  "description": "How many of a hundred requests are copied. At most two digits behind the point.",
                  "type": "number",
                  "minimum": 0,
                  "maximum": 100,
                  "default": 100
                },
                "max-body": {
                  "title": "max-body",
                  "description": "Requests with a larger body aren't copied, and counted in `sigma_plugin_mirror_too_large_total`.",
                  "type": "string",
                  "pattern": "^(0|[1-9][0-9]{0,8})(B|KiB|MiB)$",
                  "x-expected": "a size up to 16 MiB such as \\"64KiB\\"",
                  "default": "64KiB"
                },
                "max-copies": {
                  "title": "max-copies",
                  "description": "How many copies are collected or under way at once, over all Workers; together with `max-body` at most 64 MiB. Requests beyond that aren't copied, and counted in `sigma_plugin_mirror_too_many_total`.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000,
                  "default": 100
                }
              },
              "examples": [
                { "proxy-pass-id": "next" },
                { "proxy-pass-id": "next", "percent": 1, "max-body": "1MiB", "max-copies": 50 }
              ]
            }
            """;

    @Override
    public String name() {
        return "mirror";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings bodyMax = settings.get("max-body");
        long bodyBytesMax = bodyMax.bytes(BODY_BYTES_MAX_DEFAULT);
        if (bodyBytesMax > 16 << 20) {
            throw bodyMax.unfit("at most 16 MiB");
        }
        Mirror.Counts counts = new Mirror.Counts(
                context.counter("copies", "Requests of which a copy was sent."),
                context.counter("failed", "Copies that got no answer."),
                context.counter("too_many", "Requests not copied, as too many copies were under way."),
                context.counter("too_large", "Requests not copied, as their bodies were too large."),
                context.counter("incomplete", "Requests not copied, as no node got all of them."));
        Settings copies = settings.get("max-copies");
        int copiesMax = (int) copies.integer(COPIES_MAX_DEFAULT);
        if (bodyBytesMax * copiesMax > HELD_BYTES_MAX) {
            throw (copies.isPresent() ? copies : bodyMax)
                    .unexpected("max-copies times max-body at most 64 MiB, which is what copies hold at once");
        }
        return new Mirror(
                new Mirror.Settings(
                        settings.get("proxy-pass-id").string(), part(settings.get("percent")), (int) bodyBytesMax, (int)
                                settings.get("max-copies").integer(COPIES_MAX_DEFAULT)),
                counts);
    }

    private static int part(Settings percent) {
        try {
            return BigDecimal.valueOf(percent.number(100)).movePointRight(2).intValueExact();
        } catch (ArithmeticException e) {
            throw percent.unexpected("at most two digits behind the point");
        }
    }
}
