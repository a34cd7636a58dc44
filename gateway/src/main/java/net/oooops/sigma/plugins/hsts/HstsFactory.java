package net.oooops.sigma.plugins.hsts;

import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code hsts}. */
public final class HstsFactory implements PluginFactory {
    /** One year. */
    private static final long MAX_AGE_DEFAULT_SECONDS = 31_536_000;

    private static final String SCHEMA = """
            {
              "title": "hsts",
              "description": "Sets Strict-Transport-Security on responses to clients that came over https, in the place of the server's own: browsers then come over https only (RFC 6797). Nothing is sent over plain http, as section 7.2 wants: the server's own is taken away there. Behind a load balancer that ends TLS, the client came over https where that balancer is one of the router's `trusted-proxies` and says so in X-Forwarded-Proto or Forwarded (`allow-forward`).",
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
                "max-age": {
                  "title": "max-age",
                  "description": "For how long browsers keep to https, in seconds, as in the field itself. 0 makes them forget it.",
                  "type": "integer",
                  "minimum": 0,
                  "default": 31536000
                },
                "include-sub-domains": {
                  "title": "include-sub-domains",
                  "description": "Whether it holds for every subdomain of the host too.",
                  "type": "boolean",
                  "default": false
                }
              },
              "examples": [
                {},
                { "max-age": 63072000, "include-sub-domains": true }
              ]
            }
            """;

    @Override
    public String name() {
        return "hsts";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        long maxAgeSeconds = settings.get("max-age").integer(MAX_AGE_DEFAULT_SECONDS);
        if (maxAgeSeconds < 0) {
            throw settings.get("max-age").unfit(">= 0 seconds");
        }
        String subDomains = settings.get("include-sub-domains").bool(false) ? "; includeSubDomains" : "";
        return new Hsts(Field.of("Strict-Transport-Security", "max-age=" + maxAgeSeconds + subDomains));
    }
}
