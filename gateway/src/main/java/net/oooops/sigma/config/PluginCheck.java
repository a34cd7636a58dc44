package net.oooops.sigma.config;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.UpstreamConfig.Protocol;

/** Asks the plugins about their settings wherever some are written. */
final class PluginCheck {

    private final PluginTrial trial;
    private final ConfigSchema schema;
    private final Problems problems;
    private final PathReader paths;

    PluginCheck(PluginTrial trial, ConfigSchema schema, Problems problems) {
        this.trial = trial;
        this.schema = schema;
        this.problems = problems;
        this.paths = new PathReader(schema, problems);
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
                } else if (problems.has(settings)) {
                    PluginFrame.refuse(settings, schema, problems);
                } else {
                    paths.fillIn(settings);
                    new Objections(trial, schema.steps(), problems, settings).collect(protocol);
                }
            }
        }
    }
}
