package net.oooops.sigma.plugins.redirecthttps;

import java.util.List;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code https-degrade-http}. */
public final class DegradeHttpFactory implements PluginFactory {
    /** Whoever keeps a redirection for good could not be sent back. */
    private static final SchemeRedirect.Defaults DEFAULTS =
            new SchemeRedirect.Defaults("http", List.of(307, 301, 302, 308), 80, List.of());

    private static final String SCHEMA = """
            {
              "title": "https-degrade-http",
              "description": "Answers requests that came over https with a redirection to http: same host, path and query; for what must be had in the clear, such as lists of revoked certificates, or the firmware of devices without TLS. From there on anybody on the way reads and changes what passes. What came over http passes. Not beside `hsts`, which has browsers come back over https, nor beside `http-redirect-https`, which sends them back.",
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
                  "description": "`307`, `308`: clients send the same request again, body and all, in the clear. `302`, `301`: many make a GET of a POST. `301` and `308` are kept by clients for good.",
                  "type": "integer",
                  "enum": [301, 302, 307, 308],
                  "default": 307
                },
                "port": {
                  "title": "port",
                  "description": "The port that clients reach http at.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 65535,
                  "default": 80
                },
                "except": {
                  "title": "except",
                  "description": "Paths that begin with one of these pass as they came: the path as plugins before and a `sub-router` have made it, and the one that the client wrote. Paths with a semicolon are never sent there.",
                  "type": "array",
                  "maxItems": 100,
                  "items": { "type": "string", "pattern": "^/[!-~]*$", "x-expected": "the beginning of a path" },
                  "default": []
                }
              },
              "examples": [
                {},
                { "port": 8080, "except": ["/firmware/keys/"] }
              ]
            }
            """;

    @Override
    public String name() {
        return "https-degrade-http";
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
