package net.oooops.sigma.plugins.xframe;

import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code x-frame}. Its value is the field's value itself, or an object with it. */
public final class XFrameFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "x-frame",
              "description": "Sets X-Frame-Options on every response, in the place of the server's own: whether a page may show the response in a frame (RFC 7034). `csp` with `frame-ancestors` says the same with more choice; browsers that know both follow that one.",
              "x-role": "sees-responses",
              "type": ["string", "object"],
              "anyOf": [
                { "const": "DENY", "description": "In no frame." },
                { "const": "SAMEORIGIN", "description": "In frames of the response's own origin only." },
                { "const": "NONE", "description": "Nothing is set, as without this key." },
                { "type": "object" }
              ],
              "additionalProperties": false,
              "required": ["value"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "value": {
                  "title": "value",
                  "description": "What stands in the place of the object where there is nothing else to say: `DENY`, in no frame; `SAMEORIGIN`, in frames of the response's own origin only; `NONE`, nothing is set.",
                  "type": "string",
                  "enum": ["DENY", "SAMEORIGIN", "NONE"]
                }
              },
              "examples": ["DENY", "SAMEORIGIN", { "value": "DENY" }]
            }
            """;

    private static final Plugin NOTHING = () -> new Needs(false, false, false, BodyNeed.NONE, BodyNeed.NONE, false);

    @Override
    public String name() {
        return "x-frame";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings said = settings.isText() ? settings : settings.get("value");
        String value = said.string();
        if (value.equals("NONE")) {
            return NOTHING;
        }
        if (!value.equals("DENY") && !value.equals("SAMEORIGIN")) {
            throw said.unexpected("\"DENY\", \"SAMEORIGIN\" or \"NONE\"");
        }
        return new XFrame(Field.of("X-Frame-Options", value));
    }
}
