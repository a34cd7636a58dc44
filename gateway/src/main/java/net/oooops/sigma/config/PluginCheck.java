package net.oooops.sigma.config;

import java.util.List;
import net.oooops.sigma.api.SettingsException;

/** Asks the plugins about their settings, wherever some are written that their schema has nothing against. */
final class PluginCheck {

    private final PluginTrial trial;
    private final Problems problems;

    PluginCheck(PluginTrial trial, Problems problems) {
        this.trial = trial;
        this.problems = problems;
    }

    void check(Json root) {
        all(IdCheck.servers(root));
        all(root.itemsOf("router"));
        for (Json router : root.itemsOf("router")) {
            all(router.itemsOf("route"));
        }
        all(root.itemsOf("proxy-pass"));
    }

    private void all(List<Json> holders) {
        for (Json holder : holders) {
            Json plugins = holder.get("plugin");
            if (plugins == null || problems.has(plugins)) {
                continue;
            }
            for (Json settings : plugins.members().values()) {
                if (!problems.isWithin(settings)) {
                    one(settings);
                }
            }
        }
    }

    private void one(Json settings) {
        try {
            trial.take(settings.step(), settings.plain());
        } catch (SettingsException e) {
            problems.value(settings.at(e.pointer()), e.found(), e.expected(), null);
        }
    }
}
