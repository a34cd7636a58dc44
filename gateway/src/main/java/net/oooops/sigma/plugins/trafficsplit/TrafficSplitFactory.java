package net.oooops.sigma.plugins.trafficsplit;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Makes {@code traffic-split}. */
public final class TrafficSplitFactory implements PluginFactory {
    private static final Duration MAX_AGE_DEFAULT = Duration.ofHours(24);

    private static final String SCHEMA = """
            {
              "title": "traffic-split",
              "description": "Sends a part of the requests to another proxy-pass, such as that of a new version: with its upstream, timeouts and retries. All other requests go where the route says. Which plugins a request passes doesn't change; so the other proxy-pass has none of its own.",
              "x-role": "sees-requests",
              "x-answers": true,
              "type": "object",
              "additionalProperties": false,
              "required": ["splits"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "splits": {
                  "title": "splits",
                  "description": "Where a part of the requests goes. Together at most 100 percent.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 16,
                  "items": {
                    "title": "split",
                    "description": "One way, and its part.",
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["proxy-pass-id", "percent"],
                    "properties": {
                      "proxy-pass-id": {
                        "title": "proxy-pass-id",
                        "description": "The proxy-pass that they go to.",
                        "type": "string",
                        "minLength": 1
                      },
                      "percent": {
                        "title": "percent",
                        "description": "How many of a hundred requests, or clients, go there. 0: none; it can be written before it is needed. At most two digits behind the point.",
                        "type": "number",
                        "minimum": 0,
                        "maximum": 100
                      }
                    }
                  }
                },
                "by": {
                  "title": "by",
                  "description": "What is decided once: requests that have it in common go the same way, on every Worker and after every restart. Those that don't have it go by chance.",
                  "type": "string",
                  "oneOf": [
                    { "const": "random", "description": "Nothing: each request by itself." },
                    { "const": "address", "description": "The address of the client." },
                    { "const": "consumer", "description": "Who the request is from, as a plugin before it has found." },
                    { "const": "header", "description": "The value of the field `header`." }
                  ],
                  "default": "random"
                },
                "header": {
                  "title": "header",
                  "description": "The field that it goes by; with `by`: `header` only.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 100
                },
                "seed": {
                  "title": "seed",
                  "description": "Any text. Two splits of the same percentage choose the same clients, unless they have another seed.",
                  "type": "string",
                  "maxLength": 100,
                  "default": ""
                },
                "cookie": {
                  "title": "cookie",
                  "description": "Keeps a client on the way that it was sent first, by a cookie of this name. Its value is the id of the proxy-pass, or `-`; so a client can choose. A way that has 0 percent is no longer followed. For clients that came over https it has `Secure`.",
                  "type": "string",
                  "pattern": "^[A-Za-z0-9_-]{1,64}$",
                  "x-expected": "letters, digits, _ and -"
                },
                "max-age": {
                  "title": "max-age",
                  "description": "How long the cookie is kept.",
                  "type": "string",
                  "pattern": "^[1-9][0-9]{0,5}(ms|s|m|h)$",
                  "x-expected": "a duration such as \\"30m\\" or \\"24h\\"",
                  "default": "24h"
                }
              },
              "examples": [
                { "splits": [{ "proxy-pass-id": "next", "percent": 5 }], "by": "address" },
                { "splits": [{ "proxy-pass-id": "next", "percent": 0.5 }], "cookie": "way" }
              ]
            }
            """;

    @Override
    public String name() {
        return "traffic-split";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        String cookie =
                settings.get("cookie").isPresent() ? settings.get("cookie").string() : null;
        long maxAgeSeconds =
                Math.max(1, settings.get("max-age").duration(MAX_AGE_DEFAULT).toSeconds());
        List<Share> shares = new ArrayList<>();
        int upTo = 0;
        for (Settings split : settings.get("splits").elements()) {
            upTo += hundredths(split.get("percent"));
            if (upTo > Draw.RANGE) {
                throw split.get("percent").unexpected("at most 100 percent together");
            }
            String target = split.get("proxy-pass-id").string();
            shares.add(share(split.get("proxy-pass-id"), target, upTo, cookie(cookie, target, maxAgeSeconds)));
        }
        shares.add(share(settings, null, Draw.RANGE, cookie(cookie, null, maxAgeSeconds)));
        return new TrafficSplit(draw(settings), List.copyOf(shares), cookie == null ? null : CookieName.of(cookie));
    }

    private static int hundredths(Settings percent) {
        BigDecimal hundredths = BigDecimal.valueOf(percent.number(0)).movePointRight(2);
        if (hundredths.signum() < 0 || hundredths.compareTo(BigDecimal.valueOf(Draw.RANGE)) > 0) {
            throw percent.unexpected("0 to 100");
        }
        try {
            return hundredths.intValueExact();
        } catch (ArithmeticException e) {
            throw percent.unexpected("at most two digits behind the point");
        }
    }

    private static Share share(Settings at, @Nullable String target, int upTo, @Nullable String cookie) {
        if (cookie == null) {
            return new Share(target, upTo, null, null);
        }
        if (!Share.value(target).matches("[A-Za-z0-9_.-]{1,128}")) {
            throw at.unexpected("an id of letters, digits, ., _ and -, as \"cookie\" has it for its value");
        }
        return new Share(target, upTo, Field.of("Set-Cookie", cookie), Field.of("Set-Cookie", cookie + "; Secure"));
    }

    private static @Nullable String cookie(@Nullable String name, @Nullable String target, long maxAgeSeconds) {
        return name == null
                ? null
                : name + "=" + Share.value(target) + "; Path=/; Max-Age=" + maxAgeSeconds + "; HttpOnly; SameSite=Lax";
    }

    private static Draw draw(Settings settings) {
        Draw.By by = Draw.By.valueOf(settings.get("by").string("random").toUpperCase(Locale.ROOT));
        Settings header = settings.get("header");
        if (header.isPresent() != (by == Draw.By.HEADER)) {
            throw header.unexpected(by == Draw.By.HEADER ? "the name of a field" : "\"by\": \"header\" beside it");
        }
        return new Draw(
                by,
                header.isPresent() ? name(header) : null,
                Draw.seed(settings.get("seed").string("")));
    }

    private static FieldName name(Settings header) {
        try {
            return FieldName.of(header.string());
        } catch (IllegalArgumentException e) {
            throw header.unexpected("the name of a field");
        }
    }
}
