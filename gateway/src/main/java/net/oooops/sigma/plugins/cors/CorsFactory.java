package net.oooops.sigma.plugins.cors;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Makes {@code cors}. */
public final class CorsFactory implements PluginFactory {
    private static final long MAX_AGE_DEFAULT_SECONDS = 600;
    private static final String ANY = "*";

    private static final String SCHEMA = """
            {
              "title": "cors",
              "description": "Lets scripts of other origins call what is behind the gateway (CORS protocol of the WHATWG Fetch standard). Preflight requests (OPTIONS with Origin and Access-Control-Request-Method) are answered here with 204 and go no further; a route with `allow-method` needs not name OPTIONS for that. Other responses, those on errors included, get the fields in the place of the server's own. An origin that isn't allowed gets none of them.",
              "x-role": "sees-requests",
              "x-answers": true,
              "type": "object",
              "additionalProperties": false,
              "required": ["allow-origins"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "allow-origins": {
                  "title": "allow-origins",
                  "description": "Which origins may: `*` for all, or a list of origins as browsers send them (`https://a.example.com`, with the port where it isn't the scheme's own), of all subdomains of a host at any depth (`https://*.example.com`, which is not `https://example.com` itself) and `null`.",
                  "anyOf": [
                    { "const": "*" },
                    { "type": "array", "minItems": 1, "items": { "type": "string" } }
                  ]
                },
                "allow-methods": {
                  "title": "allow-methods",
                  "description": "Which methods they may use, or `*`. Browsers allow GET, HEAD and POST in any case.",
                  "anyOf": [
                    { "const": "*" },
                    { "type": "array", "items": { "type": "string" } }
                  ],
                  "default": ["GET", "HEAD", "POST"]
                },
                "allow-headers": {
                  "title": "allow-headers",
                  "description": "Which request fields they may set, or `*` for all but Authorization, which has to be named.",
                  "anyOf": [
                    { "const": "*" },
                    { "type": "array", "items": { "type": "string" } }
                  ],
                  "default": []
                },
                "expose-headers": {
                  "title": "expose-headers",
                  "description": "Which response fields they may read beyond the few that are always open, or `*`.",
                  "anyOf": [
                    { "const": "*" },
                    { "type": "array", "items": { "type": "string" } }
                  ],
                  "default": []
                },
                "max-age": {
                  "title": "max-age",
                  "description": "For how long browsers remember a preflight's answer, in seconds, as in the field itself.",
                  "type": "integer",
                  "minimum": 0,
                  "default": 600
                },
                "allow-credentials": {
                  "title": "allow-credentials",
                  "description": "Whether they may send cookies and other credentials. Not together with `*`.",
                  "type": "boolean",
                  "default": false
                }
              },
              "examples": [
                { "allow-origins": "*" },
                {
                  "allow-origins": ["https://example.com", "https://*.example.com"],
                  "allow-methods": ["GET", "POST", "PUT", "DELETE"],
                  "allow-headers": ["Authorization", "Content-Type"],
                  "expose-headers": ["X-Request-Id"],
                  "max-age": 3600,
                  "allow-credentials": true
                }
              ]
            }
            """;

    @Override
    public String name() {
        return "cors";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        boolean credentials = settings.get("allow-credentials").bool(false);
        Settings allowOrigins = settings.get("allow-origins");
        boolean ofAny = isAny(allowOrigins);
        if (ofAny && credentials) {
            throw withCredentials(allowOrigins);
        }
        Origins origins = ofAny ? Origins.ANY : Origins.of(allowOrigins.elements());

        List<Field> preflight = new ArrayList<>();
        if (settings.get("allow-methods").isPresent()) {
            add(preflight, tokens("Access-Control-Allow-Methods", settings, "allow-methods"));
        } else {
            preflight.add(Field.of("Access-Control-Allow-Methods", "GET, HEAD, POST"));
        }
        add(preflight, tokens("Access-Control-Allow-Headers", settings, "allow-headers"));
        long maxAgeSeconds = settings.get("max-age").integer(MAX_AGE_DEFAULT_SECONDS);
        if (maxAgeSeconds < 0) {
            throw settings.get("max-age").unfit(">= 0 seconds");
        }
        preflight.add(Field.of("Access-Control-Max-Age", String.valueOf(maxAgeSeconds)));

        Field expose = tokens("Access-Control-Expose-Headers", settings, "expose-headers");
        return new Cors(origins, credentials, expose, preflight, context.reason("origin"));
    }

    private static void add(List<Field> fields, @Nullable Field field) {
        if (field != null) {
            fields.add(field);
        }
    }

    /** The list under {@code key} as a field, or null where it is empty or absent. */
    private static @Nullable Field tokens(String field, Settings settings, String key) {
        Settings list = settings.get(key);
        if (isAny(list)) {
            if (settings.get("allow-credentials").bool(false)) {
                throw withCredentials(list);
            }
            return Field.of(field, ANY);
        }
        List<String> tokens = strings(list, token -> FieldName.isToken(token) && !token.equals(ANY));
        return tokens.isEmpty() ? null : Field.of(field, String.join(", ", tokens));
    }

    private static List<String> strings(Settings list, Predicate<String> valid) {
        List<String> strings = new ArrayList<>();
        for (Settings element : list.elements()) {
            if (!valid.test(element.string())) {
                throw element.unfit("a token, RFC 9110 section 5.6.2, or * alone for all");
            }
            strings.add(element.string());
        }
        return strings;
    }

    /** Whether this is {@code "*"} or {@code ["*"]}. */
    private static boolean isAny(Settings setting) {
        if (!setting.isPresent()) {
            return false;
        }
        if (!setting.isList()) {
            if (!setting.string().equals(ANY)) {
                throw setting.unexpected("\"*\" or a list");
            }
            return true;
        }
        List<Settings> elements = setting.elements();
        return elements.size() == 1 && elements.getFirst().string().equals(ANY);
    }

    private static RuntimeException withCredentials(Settings any) {
        return any.unexpected(
                "a list of names where allow-credentials is true; browsers don't take * with credentials");
    }
}
