package net.oooops.sigma.plugins.redirect;

import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Makes {@code redirect}. */
public final class RedirectFactory implements PluginFactory {
    private static final int STATUS_DEFAULT = 302;
    private static final Set<Integer> STATUSES = Set.of(301, 302, 303, 307, 308);

    private static final String SCHEMA = """
            {
              "title": "redirect",
              "description": "Answers with a redirection: of all requests, or of those in whose path a regexp is found; others pass. What a client sends can become a part of the path and the query, never of the host, except the host that it asked for itself (`$host`).",
              "x-role": "sees-requests",
              "x-answers": true,
              "type": "object",
              "additionalProperties": false,
              "required": ["to"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "to": {
                  "title": "to",
                  "description": "The URL, or a path of the same scheme and host. In it stand for what the request has: `$scheme`; `$host`, without the port; `$authority`, with it; `$path` and `$query`, which the client asked for, whatever plugins before have made of them, the latter with what leads to it and at the end only; `:name`, a parameter of the route's path, empty where there is none, but a problem on a route without it; `$1`, what a group of `regexp` found. Slashes are not doubled where two meet. Without `$query` the query of the request is dropped, also with `regexp`. In a query, values have `&`, `+`, `=` and `;` percent-encoded. A colon before a letter or a digit is written `%3A`, a dollar sign `%24`.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 2048,
                  "x-expected": "a URL or a path"
                },
                "regexp": {
                  "title": "regexp",
                  "description": "Only requests in whose path this is found are redirected: a regular expression of java.util.regex.Pattern, found anywhere in the normalised path unless ^ and $ hold it. That is the path as plugins before and a `sub-router` have made it, and so are the groups. A path on which it backtracks beyond 1,000,000 steps, or recurses too deep, fails the request with 400 (reason `regexp-steps`).",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 1000
                },
                "status": {
                  "title": "status",
                  "description": "`302` and `307`: for now, `301` and `308`: for good, which clients remember. With `307` and `308` they send the same request again, body and all; with `301` and `302` many make a GET of a POST, with `303` all do.",
                  "type": "integer",
                  "enum": [301, 302, 303, 307, 308],
                  "default": 302
                }
              },
              "examples": [
                { "to": "https://www.example.com$path$query", "status": 308 },
                { "to": "/products/:id$query", "status": 301 },
                { "regexp": "^/old/(.*)$", "to": "/new/$1$query" },
                { "regexp": "^/blog/([0-9]+)/(.*)$", "to": "https://blog.example.com/$2?year=$1" }
              ]
            }
            """;

    @Override
    public String name() {
        return "redirect";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        long status = settings.get("status").integer(STATUS_DEFAULT);
        if (!STATUSES.contains((int) status)) {
            throw settings.get("status").unexpected("301, 302, 303, 307 or 308");
        }
        Pattern pattern = pattern(settings.get("regexp"));
        int groups = pattern == null ? -1 : pattern.matcher("").groupCount();
        return new Redirect(
                new TargetReader(settings.get("to"), groups).read(),
                (int) status,
                pattern,
                context.reason("regexp-steps").refuse(Fault.REWRITE_REFUSED));
    }

    private static @Nullable Pattern pattern(Settings regexp) {
        if (!regexp.isPresent()) {
            return null;
        }
        try {
            return Pattern.compile(regexp.string());
        } catch (PatternSyntaxException e) {
            throw regexp.unexpected("a regular expression of java.util.regex.Pattern: " + e.getDescription()
                    + (e.getIndex() < 0 ? "" : " at character " + e.getIndex()));
        }
    }
}
