package net.oooops.sigma.plugin;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.config.PluginFrame;
import net.oooops.sigma.plugin.condition.Condition;
import org.jspecify.annotations.Nullable;

/**
 * What Sigma itself is told among a plugin's settings: where it acts, and whether anything comes of it. The plugin doesn't see it.
 *
 * @param settings the plugin's own
 * @param when the condition, as it is written; null where there is none
 * @param shadow whether the plugin is only tried
 */
record Placement(@Nullable Object settings, @Nullable String when, boolean shadow) {
    private static final int SHOWN_CHARACTERS_MAX = 80;

    static Placement of(@Nullable Object tree) {
        boolean said = tree instanceof Map<?, ?> map
                && (map.containsKey(PluginFrame.WHEN) || map.containsKey(PluginFrame.MODE));
        if (!said) {
            return new Placement(tree, null, false);
        }
        Map<Object, @Nullable Object> own = new LinkedHashMap<>((Map<?, ?>) tree);
        Object when = own.remove(PluginFrame.WHEN);
        Object mode = own.remove(PluginFrame.MODE);
        return new Placement(
                Collections.unmodifiableMap(own),
                when == null ? null : String.valueOf(when),
                PluginFrame.SHADOW.equals(mode));
    }

    /** Whether there is anything but the plugin's own settings. */
    boolean isSaid() {
        return when != null || shadow;
    }

    /**
     * What stands in the place of that plugin.
     *
     * @throws SettingsException where the condition can't be used
     */
    Plugin place(String name, Plugin made, Needs needs) {
        Plugin placed = shadow ? new ShadowPlugin(name, made, needs) : made;
        return when == null ? placed : new ConditionedPlugin(name, placed, needs, condition(when, needs));
    }

    private static Condition condition(String text, Needs needs) {
        if (needs.isSessionOnly()) {
            throw conditionOnSessions(text);
        }
        Condition condition = compiled(text);
        boolean seesRequest = needs.request() || needs.requestBody().kind() != BodyNeed.Kind.NONE;
        if (condition.asksForResponse() && seesRequest) {
            throw unfit(
                    text,
                    "a condition on the request: this plugin sees it before there is a response, and acts on both or on neither");
        }
        return condition;
    }

    /**
     * A condition by itself, whatever plugin acts on it.
     *
     * @throws SettingsException where it can't be used
     */
    static Condition compiled(String text) {
        try {
            return Condition.compile(text);
        } catch (UnfitException e) {
            throw unfit(text, e.expected()).ofItself();
        }
    }

    /** @param text of the condition */
    static SettingsException conditionOnSessions(String text) {
        return unfit(text, "none: sessions have no requests that a condition could ask for");
    }

    private static SettingsException unfit(String text, String expected) {
        String shown = text.length() > SHOWN_CHARACTERS_MAX ? text.substring(0, SHOWN_CHARACTERS_MAX) + "…" : text;
        return new SettingsException("/" + PluginFrame.WHEN, "\"" + shown + "\"", expected);
    }
}
