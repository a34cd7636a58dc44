package net.oooops.sigma.exchange;

import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Gives the plugin that a test has made. */
public final class ProbeFactory implements PluginFactory {
    @Override
    public String name() {
        return "probe";
    }

    @Override
    public String schema() {
        return "{\"type\": \"object\", \"properties\": {\"key\": {\"type\": \"string\"}}}";
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Probe probe = Probe.MADE.remove(settings.get("key").string());
        if (probe == null) {
            throw settings.get("key").unexpected("that of a probe");
        }
        probe.create(context);
        return probe;
    }
}
