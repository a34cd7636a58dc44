package net.oooops.sigma.plugins.redirecthttps;

import java.util.List;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code http-redirect-https}. */
public final class RedirectHttpsFactory implements PluginFactory {
    /** Where those that issue certificates look over http (RFC 8555 section 8.3). */
    private static final String CHALLENGES = "/.well-known/acme-challenge/";

    private static final SchemeRedirect.Defaults DEFAULTS =
            new SchemeRedirect.Defaults("https", List.of(308, 301), 443, List.of(CHALLENGES));

    private static final String SCHEMA = """
            {
              "title": "http-redirect-https",
              "description": "Answers requests that came over http with a redirection to https: same host, path and query. What came over https passes, also where a load balancer ended TLS that is one of the router's `trusted-proxies` and says so (`allow-forward`). On a server that only redirects no router is needed.",
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
                  "description": "`308`: clients send the same request again, body and all. `301`: many make a GET of a POST.",
                  "type": "integer",
                  "enum": [301, 308],
                  "default": 308
                },
                "port": {
                  "title": "port",
                  "description": "The port that clients reach https at.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 65535,
                  "default": 443
                },
                "except": {
                  "title": "except",
                  "description": "Paths that begin with one of these pass as they came: the path as plugins before and a `sub-router` have made it. By default those that issuers of certificates ask for over http.",
                  "type": "array",
                  "maxItems": 100,
                  "items": { "type": "string", "pattern": "^/[!-~]*$", "x-expected": "the beginning of a path" },
                  "default": ["/.well-known/acme-challenge/"]
                }
              },
              "examples": [
                {},
                { "port": 8443, "except": ["/.well-known/acme-challenge/", "/health"] }
              ]
            }
            """;

    @Override
    public String name() {
        return "http-redirect-https";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        return SchemeRedirect.of(settings, DEFAULTS);
    }
}
