package net.oooops.sigma.config;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.UpstreamConfig.Protocol;

/** Asks the plugins about their settings, wherever some are written that their schema has nothing against. */
final class PluginCheck {

    private final PluginTrial trial;
    private final ConfigSchema schema;
    private final Problems problems;
    private final PathReader paths;

    PluginCheck(PluginTrial trial, ConfigSchema schema, Problems problems) {
        this.trial = trial;
        this.schema = schema;
        this.problems = problems;
        this.paths = new PathReader(schema);
    }

    void check(Json root) {
        all(IdCheck.servers(root), Protocol.HTTP);
        all(IdCheck.tcpServers(root), Protocol.TCP);
        all(IdCheck.udpServers(root), Protocol.UDP);
        all(IdCheck.boltServers(root), Protocol.TCP);
        all(root.itemsOf("router"), Protocol.HTTP);
        for (Json router : root.itemsOf("router")) {
            all(RoutesJson.unknown(router), Protocol.HTTP);
        }
        Map<String, Protocol> upstreams = ProtocolCheck.upstreams(root);
        for (Json pass : root.itemsOf("proxy-pass")) {
            Protocol protocol = upstreams.get(pass.text("upstream-id", ""));
            if (protocol != null) {
                // Those of Bolt see sessions, too: what passes in mode relay.
                all(List.of(pass), protocol == Protocol.HTTP ? Protocol.HTTP : Protocol.TCP);
            }
        }
    }

    private void all(List<Json> holders, Protocol protocol) {
        for (Json holder : holders) {
            Json plugins = holder.get("plugin");
            if (plugins == null || problems.has(plugins)) {
                continue;
            }
            for (Json settings : plugins.members().values()) {
                String why = schema.unusable().get(settings.step());
                if (why != null) {
                    problems.key(settings, why, "a plugin of which Sigma knows the whole schema", null);
                } else if (!problems.isWithin(settings)) {
                    one(settings, protocol);
                } else if (problems.has(settings)) {
                    PluginFrame.refuse(settings, schema, problems);
                }
            }
        }
    }

    private void one(Json settings, Protocol protocol) {
        paths.fillIn(settings);
        try {
            trial.take(settings.step(), settings.plain(), protocol);
        } catch (SettingsException e) {
            Json at = settings.at(e.pointer());
            // Plugins know of no secrets, and may show a part of one.
            problems.value(at, at.holdsSecrets() ? at.shown() : e.found(), e.expected(), null);
        }
    }
}
