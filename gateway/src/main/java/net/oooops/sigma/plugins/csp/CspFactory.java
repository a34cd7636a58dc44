package net.oooops.sigma.plugins.csp;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code csp}. Browsers pass over what they don't know, so that a slip protects nothing: it is a problem here. */
public final class CspFactory implements PluginFactory {
    private static final List<String> OF_SOURCES = List.of(
            "base-uri",
            "child-src",
            "connect-src",
            "default-src",
            "fenced-frame-src",
            "font-src",
            "form-action",
            "frame-ancestors",
            "frame-src",
            "img-src",
            "manifest-src",
            "media-src",
            "object-src",
            "prefetch-src",
            "script-src",
            "script-src-attr",
            "script-src-elem",
            "style-src",
            "style-src-attr",
            "style-src-elem",
            "worker-src");

    private static final List<String> WITHOUT_VALUE = List.of("block-all-mixed-content", "upgrade-insecure-requests");

    private static final List<String> OTHERS =
            List.of("report-to", "report-uri", "require-trusted-types-for", "sandbox", "trusted-types", "webrtc");

    private static final Set<String> KEYWORDS = Set.of(
            "none",
            "report-sample",
            "self",
            "strict-dynamic",
            "unsafe-eval",
            "unsafe-hashes",
            "unsafe-inline",
            "wasm-unsafe-eval");

    /** Those that 0.1.0 put in quotes where they were all of a value: no server is called that. */
    private static final Set<String> QUOTED_ALONE = Set.of("none", "self", "unsafe-eval", "unsafe-inline");

    private static final Set<String> NAMES = names();

    private static final String SCHEMA = """
            {
              "title": "csp",
              "description": "Sets Content-Security-Policy on every response, in the place of the server's own: what a page may load and run (W3C Content Security Policy Level 3).",
              "x-role": "sees-responses",
              "type": "object",
              "additionalProperties": false,
              "required": ["directive"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "report-only": {
                  "title": "report-only",
                  "description": "Whether browsers report what breaks the policy but don't prevent it: sets Content-Security-Policy-Report-Only.",
                  "type": "boolean",
                  "default": false
                },
                "reportOnly": {
                  "title": "reportOnly",
                  "description": "`report-only`, as 0.1.0's example spells it. One of both is enough.",
                  "type": "boolean",
                  "default": false
                },
                "directive": {
                  "title": "directive",
                  "description": "The policy's directives in their order, each name once.",
                  "type": "array",
                  "minItems": 1,
                  "items": {
                    "title": "directive",
                    "description": "One directive.",
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["name"],
                    "properties": {
                      "name": {
                        "title": "name",
                        "description": "The directive's name.",
                        "enum": [%s]
                      },
                      "value": {
                        "title": "value",
                        "description": "Its value, for example sources separated by spaces; keywords stand in single quotes, which `none`, `self`, `unsafe-inline` and `unsafe-eval` get where one of them is all of the value.",
                        "type": "string",
                        "default": ""
                      }
                    }
                  }
                }
              },
              "examples": [
                {
                  "directive": [
                    { "name": "default-src", "value": "'self'" },
                    { "name": "img-src", "value": "'self' https://img.example.com data:" },
                    { "name": "frame-ancestors", "value": "'none'" }
                  ]
                },
                { "report-only": true, "directive": [{ "name": "script-src", "value": "'self'" }, { "name": "report-uri", "value": "/csp" }] }
              ]
            }
            """.formatted("\"" + String.join("\", \"", NAMES) + "\"");

    private static Set<String> names() {
        Set<String> names = new TreeSet<>(OF_SOURCES);
        names.addAll(WITHOUT_VALUE);
        names.addAll(OTHERS);
        return names;
    }

    @Override
    public String name() {
        return "csp";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings directives = settings.get("directive");
        StringJoiner policy = new StringJoiner("; ");
        Set<String> seen = new HashSet<>();
        for (Settings directive : directives.elements()) {
            String name = name(directive.get("name"));
            if (!seen.add(name)) {
                throw directive.get("name").unexpected("each directive once; browsers pass over the second");
            }
            String value = value(name, directive.get("value"));
            policy.add(value.isEmpty() ? name : name + " " + value);
        }
        if (seen.isEmpty()) {
            throw directives.unexpected("at least one directive");
        }
        boolean reportOnly = reportOnly(settings);
        String field = reportOnly ? "Content-Security-Policy-Report-Only" : "Content-Security-Policy";
        return new Csp(Field.of(field, policy.toString()));
    }

    private static boolean reportOnly(Settings settings) {
        Settings other = settings.get("reportOnly");
        boolean reportOnly = settings.get("report-only").bool(other.bool(false));
        if (other.isPresent() && other.bool(false) != reportOnly) {
            throw other.unexpected("what \"report-only\" says, or that one alone");
        }
        return reportOnly;
    }

    private static String name(Settings name) {
        if (!NAMES.contains(name.string())) {
            throw name.unexpected("one of " + NAMES);
        }
        return name.string();
    }

    /** The value of a directive (CSP3 section 2.3): visible ASCII and spaces without the separators of directives and policies. */
    private static String value(String name, Settings setting) {
        String value = setting.string("").strip();
        if (WITHOUT_VALUE.contains(name) && !value.isEmpty()) {
            throw setting.unexpected("no value with " + name);
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x20 || c > 0x7E || c == ';' || c == ',') {
                throw setting.unexpected("visible ASCII and spaces without ; and ,");
            }
        }
        if (OF_SOURCES.contains(name) && QUOTED_ALONE.contains(value)) {
            return "'" + value + "'";
        }
        if (OF_SOURCES.contains(name)) {
            for (String source : value.split(" +", -1)) {
                checkQuoted(setting, source);
            }
        }
        return value;
    }

    private static void checkQuoted(Settings setting, String source) {
        boolean isKeyword = KEYWORDS.contains(source)
                || source.startsWith("nonce-")
                || source.startsWith("sha256-")
                || source.startsWith("sha384-")
                || source.startsWith("sha512-");
        if (isKeyword) {
            throw setting.unexpected("'" + source + "' in single quotes; without them it is a host's name");
        }
    }
}
