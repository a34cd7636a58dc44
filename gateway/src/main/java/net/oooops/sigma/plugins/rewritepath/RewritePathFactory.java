package net.oooops.sigma.plugins.rewritepath;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code rewrite-path}: a {@link PrefixRewrite} where the regexp says no more than that, else a {@link RegexpRewrite}. */
public final class RewritePathFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "rewrite-path",
              "description": "Replaces the first match of a regexp in the path; a path without a match stays as it is. The query isn't touched. The path is the normalised one, unreserved characters decoded, other bytes still percent-encoded; the result is brought to the same form: it gets a leading / where it has none, and repeated slashes are merged. A result that would be refused from a client, or that has a dot segment, fails the request with 400 (`REWRITE_REFUSED`). Parameters of segments, such as `;v=1`, are passed over as routes pass over them, unless the regexp holds a semicolon itself: they are replaced, or taken into a group, together with the segment they stand at. A path on which the regexp backtracks beyond 1,000,000 steps, or recurses too deep, fails the request with 400 (reason `regexp-steps`). A regexp that only cuts or replaces a literal prefix, such as `^/test`, `^/test/(.*)` or `^/test(/.*)$`, costs no regexp at all.",
              "x-role": "sees-requests",
              "type": "object",
              "additionalProperties": false,
              "required": ["regexp", "replacement"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "regexp": {
                  "title": "regexp",
                  "description": "What to replace: a regular expression of java.util.regex.Pattern, found anywhere in the path unless ^ and $ hold it.",
                  "type": "string",
                  "minLength": 1
                },
                "replacement": {
                  "title": "replacement",
                  "description": "What takes its place: path characters, with $1 or ${name} for what a group of the regexp found and \\\\ before a $ that is meant itself. Variables of the environment are not looked for in it.",
                  "type": "string",
                  "x-variables": false
                }
              },
              "examples": [
                { "regexp": "^/test", "replacement": "" },
                { "regexp": "^/test/(.*)", "replacement": "/$1" },
                { "regexp": "/users/(?<id>[0-9]+)$", "replacement": "/u/${id}/profile" }
              ]
            }
            """;

    @Override
    public String name() {
        return "rewrite-path";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings regexp = settings.get("regexp");
        Pattern pattern;
        try {
            pattern = Pattern.compile(regexp.string());
        } catch (PatternSyntaxException e) {
            throw regexp.unfit("a regular expression of java.util.regex.Pattern: " + e.getDescription()
                    + (e.getIndex() < 0 ? "" : " at character " + e.getIndex()));
        }
        RegexpRewrite general = new RegexpRewrite(
                pattern,
                Template.of(settings.get("replacement"), pattern),
                context.reason("regexp-steps").refuse(Fault.REWRITE_REFUSED));
        LiteralPrefix literal = LiteralPrefix.parse(pattern.pattern());
        PrefixRewrite plain = literal == null ? null : PrefixRewrite.of(literal, general);
        return plain == null ? general : plain;
    }
}
