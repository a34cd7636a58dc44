package net.oooops.sigma.plugins.xframe;

import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code x-frame}. Its value is the field's value itself, not an object. */
public final class XFrameFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "x-frame",
              "description": "Sets X-Frame-Options on every response, in the place of the server's own: whether a page may show the response in a frame (RFC 7034). `csp` with `frame-ancestors` says the same with more choice; browsers that know both follow that one.",
              "type": "string",
              "oneOf": [
                { "const": "DENY", "description": "In no frame." },
                { "const": "SAMEORIGIN", "description": "In frames of the response's own origin only." },
                { "const": "NONE", "description": "Nothing is set, as without this key." }
              ],
              "examples": ["DENY", "SAMEORIGIN"]
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
        String value = settings.string();
        if (value.equals("NONE")) {
            return NOTHING;
        }
        if (!value.equals("DENY") && !value.equals("SAMEORIGIN")) {
            throw settings.unexpected("\"DENY\", \"SAMEORIGIN\" or \"NONE\"");
        }
        return new XFrame(Field.of("X-Frame-Options", value));
    }
}
