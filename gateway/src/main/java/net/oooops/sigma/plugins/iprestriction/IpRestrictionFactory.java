package net.oooops.sigma.plugins.iprestriction;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;

/** Makes {@code ip-restriction}. */
public final class IpRestrictionFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "ip-restriction",
              "description": "Lets a client in or not by its address: of a session that of the PROXY protocol header where there is one, of a request the one that trusted proxies name. A client in `deny` is refused, and so is one that isn't in `allow`, if that is there: a request is answered with 403, a session's connection is reset. An IPv4-mapped IPv6 address counts as its IPv4 one. Thousands of blocks cost no more than a few.",
              "x-role": "sees-requests",
              "type": "object",
              "additionalProperties": false,
              "anyOf": [{ "required": ["allow"] }, { "required": ["deny"] }],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "allow": {
                  "title": "allow",
                  "description": "Blocks of addresses that may come in. Left out: all but those in `deny`.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 100000,
                  "uniqueItems": true,
                  "items": { "type": "string" }
                },
                "deny": {
                  "title": "deny",
                  "description": "Blocks of addresses that may not, even where `allow` has them.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 100000,
                  "uniqueItems": true,
                  "items": { "type": "string" }
                }
              },
              "examples": [
                { "allow": ["10.0.0.0/8", "2001:db8::/32"], "deny": ["10.9.0.0/16"] },
                { "deny": ["192.0.2.0/24", "2001:db8:bad::/48"] }
              ]
            }
            """;

    @Override
    public String name() {
        return "ip-restriction";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Outcome refused = context.reason("address").respond(Response.line(403, "Not from there."));
        return new IpRestriction(networks(settings.get("allow")), networks(settings.get("deny")), refused);
    }

    private static Networks networks(Settings texts) {
        List<Cidr> blocks = new ArrayList<>();
        for (Settings text : texts.elements()) {
            blocks.add(text.block());
        }
        return Networks.of(blocks);
    }
}
