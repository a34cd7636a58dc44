package net.oooops.sigma.plugins.csrf;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;

/** Makes {@code csrf}. */
public final class CsrfFactory implements PluginFactory {
    private static final Pattern ORIGIN =
            Pattern.compile("https?://([a-z0-9_-]+(\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+])(:[1-9][0-9]{0,4})?");
    private static final Field VARY = Field.of("Vary", "Sec-Fetch-Site, Origin, Referer");
    private static final Field NO_STORE = Field.of("Cache-Control", "no-store");

    private static final String SCHEMA = """
            {
              "title": "csrf",
              "description": "Refuses with 403 what a page of another origin has the browser of its visitor send, cookies and all: requests other than GET, HEAD and OPTIONS whose Sec-Fetch-Site is neither `same-origin` nor `none`. Where a browser sends none, the host in Origin, or else in Referer, has to be the one that is asked. Requests without any of these come from no browser, and pass. No token is needed; GET must not change anything.",
              "x-role": "sees-requests",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "trusted-origins": {
                  "title": "trusted-origins",
                  "description": "Origins whose pages may, as browsers send them: `https://app.example.com`, with the port where it isn't the scheme's own.",
                  "type": "array",
                  "maxItems": 1000,
                  "items": { "type": "string", "maxLength": 300 },
                  "default": []
                },
                "same-site": {
                  "title": "same-site",
                  "description": "Whether pages of the same site may: of other hosts of the same registered domain, and of other ports.",
                  "type": "boolean",
                  "default": false
                },
                "websocket": {
                  "title": "websocket",
                  "description": "Whether a GET that asks for another protocol, as the handshake of a WebSocket does, has to be of the same origin, too: a browser sends it with cookies from any page.",
                  "type": "boolean",
                  "default": true
                },
                "except": {
                  "title": "except",
                  "description": "Paths that are left alone: a whole path, or with `/*` at the end all below it. Paths with a semicolon are not.",
                  "type": "array",
                  "maxItems": 100,
                  "items": { "type": "string", "maxLength": 1000, "pattern": "^/[!-~]*$", "x-expected": "a path" },
                  "default": []
                }
              },
              "examples": [
                {},
                { "trusted-origins": ["https://app.example.com"], "except": ["/webhooks/*"] }
              ]
            }
            """;

    @Override
    public String name() {
        return "csrf";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Outcome refused = context.reason("cross-origin").respond(Response.line(403, "Not from there.", VARY, NO_STORE));
        return new Csrf(
                trusted(settings.get("trusted-origins")),
                settings.get("same-site").bool(false),
                settings.get("websocket").bool(true),
                exempt(settings.get("except")),
                refused);
    }

    private static Set<String> trusted(Settings origins) {
        Set<String> trusted = new HashSet<>();
        for (Settings origin : origins.elements()) {
            String text = origin.string();
            boolean hasOwnPort = text.startsWith("https:") ? text.endsWith(":443") : text.endsWith(":80");
            if (!ORIGIN.matcher(text).matches() || hasOwnPort) {
                throw origin.unexpected("an origin as browsers send it, such as https://example.com or "
                        + "http://example.com:8080: lower case, no path, no default port");
            }
            trusted.add(text);
        }
        return trusted;
    }

    private static List<Csrf.Exempt> exempt(Settings paths) {
        List<Csrf.Exempt> exempt = new ArrayList<>();
        for (Settings path : paths.elements()) {
            String text = path.string();
            boolean isBeginning = text.endsWith("/*");
            String fixed = isBeginning ? text.substring(0, text.length() - 1) : text;
            boolean isPath = fixed.startsWith("/") && fixed.chars().allMatch(c -> c > ' ' && c < 0x7F);
            if (!isPath || fixed.indexOf('*') >= 0 || fixed.indexOf(';') >= 0) {
                throw path.unexpected("a path, or one that ends with /* for all below it");
            }
            exempt.add(new Csrf.Exempt(Ascii.of(fixed), isBeginning));
        }
        return exempt;
    }
}
