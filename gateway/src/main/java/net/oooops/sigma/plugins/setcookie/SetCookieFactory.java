package net.oooops.sigma.plugins.setcookie;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Makes {@code set-cookie}. */
public final class SetCookieFactory implements PluginFactory {
    private static final Map<String, String> SAME_SITES = Map.of("strict", "Strict", "lax", "Lax", "none", "None");

    private static final String SCHEMA = """
            {
              "title": "set-cookie",
              "description": "Changes the attributes of cookies that responses set (RFC 6265 section 5.2). The first of `rules` that is for a cookie counts; cookies without one, and all else of a cookie, stay as they are written.",
              "x-role": "sees-responses",
              "type": "object",
              "additionalProperties": false,
              "required": ["rules"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "rules": {
                  "title": "rules",
                  "description": "What becomes of which cookies.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 100,
                  "items": {
                    "title": "rule",
                    "description": "What becomes of some cookies. What is left out stays as the node says; with `names` alone that is all of them.",
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                      "names": {
                        "title": "names",
                        "description": "The names of the cookies, letter case included. Left out: all.",
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 100,
                        "items": { "type": "string", "minLength": 1, "maxLength": 1000 }
                      },
                      "secure": {
                        "title": "secure",
                        "description": "Whether browsers send the cookie over https only.",
                        "type": "boolean"
                      },
                      "http-only": {
                        "title": "http-only",
                        "description": "Whether it is hidden from scripts.",
                        "type": "boolean"
                      },
                      "same-site": {
                        "title": "same-site",
                        "description": "Which requests from other sites it is sent with. `none` needs `secure`: browsers refuse the cookie without.",
                        "type": "string",
                        "enum": ["strict", "lax", "none"]
                      },
                      "path": {
                        "title": "path",
                        "description": "By the beginning of a path, whole segments, what takes its place. The longest that fits counts.",
                        "type": "object",
                        "maxProperties": 100,
                        "additionalProperties": { "type": "string", "minLength": 1, "maxLength": 1000 }
                      },
                      "domain": {
                        "title": "domain",
                        "description": "By domain what takes its place; an empty text: the cookie is for the host that sets it alone. `*` stands for all others.",
                        "type": "object",
                        "maxProperties": 100,
                        "additionalProperties": { "type": "string", "maxLength": 253 }
                      }
                    }
                  }
                }
              },
              "examples": [
                { "rules": [{ "secure": true, "http-only": true, "same-site": "lax" }] },
                { "rules": [{ "names": ["session"], "path": { "/app": "/" }, "domain": { "node.internal": "example.com" } }] }
              ]
            }
            """;

    @Override
    public String name() {
        return "set-cookie";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        List<Rule> rules = new ArrayList<>();
        settings.get("rules").elements().forEach(each -> rules.add(rule(each)));
        return new SetCookie(List.copyOf(rules));
    }

    private static Rule rule(Settings rule) {
        if (rule.keys().isEmpty()) {
            throw rule.unexpected("what becomes of cookies, or the \"names\" of those that stay as they are");
        }
        Set<String> names = new HashSet<>();
        for (Settings name : rule.get("names").elements()) {
            if (!FieldName.isToken(name.string())) {
                throw name.unexpected("the name of a cookie, RFC 6265 section 4.1.1");
            }
            names.add(name.string());
        }
        Boolean secure = flag(rule.get("secure"));
        Settings sameSite = rule.get("same-site");
        String written = sameSite.isPresent() ? SAME_SITES.get(sameSite.string()) : null;
        if (sameSite.isPresent() && written == null) {
            throw sameSite.unexpected("strict, lax or none");
        }
        if ("None".equals(written) && (secure == null || !secure)) {
            throw sameSite.unexpected("strict or lax, or secure: true beside it; browsers refuse none without");
        }
        return new Rule(
                Set.copyOf(names),
                secure,
                flag(rule.get("http-only")),
                written,
                texts(rule.get("path"), SetCookieFactory::isPath, "a path: it begins with / and has no ; or space"),
                domains(rule.get("domain")));
    }

    private static @Nullable Boolean flag(Settings flag) {
        return flag.isPresent() ? flag.bool(false) : null;
    }

    private static Map<String, String> domains(Settings domains) {
        Map<String, String> lowerCase = new HashMap<>();
        texts(domains, SetCookieFactory::isDomain, "a domain, or * for all others")
                .forEach((from, to) -> lowerCase.put(from.toLowerCase(Locale.ROOT), to));
        if (lowerCase.containsKey("")) {
            throw domains.unexpected("domains, not an empty text, as what is looked for");
        }
        return Map.copyOf(lowerCase);
    }

    private static Map<String, String> texts(Settings object, Predicate<String> isValid, String expected) {
        Map<String, String> texts = new HashMap<>();
        for (String from : object.keys()) {
            Settings to = object.get(from);
            if (!isValid.test(from) || !isValid.test(to.string()) || to.string().equals("*")) {
                throw to.unexpected(expected);
            }
            texts.put(from, to.string());
        }
        return Map.copyOf(texts);
    }

    private static boolean isPath(String text) {
        return text.startsWith("/") && text.chars().allMatch(c -> c > ' ' && c < 0x7F && c != ';');
    }

    private static boolean isDomain(String text) {
        return text.equals("*")
                || text.chars()
                        .allMatch(c -> c == '.' || c == '-' || c == '_' || (c < 0x7F && Character.isLetterOrDigit(c)));
    }
}
