package net.oooops.sigma.config;

import java.util.List;
import net.oooops.sigma.memory.Descriptors;
import org.jspecify.annotations.Nullable;

/** That what may be open at once by the word of sigma.json is no more than this process has file descriptors for: defaults fit by themselves. */
final class DescriptorCheck {
    private static final String CONNECTIONS = "connections";
    private static final String CONNECTIONS_MAX = "max-connections";

    private final Problems warnings;
    private final int all;

    /** @param all how many descriptors the process may have */
    DescriptorCheck(Problems warnings, int all) {
        this.warnings = warnings;
        this.all = all;
    }

    void check(Json root) {
        int ofClients = Descriptors.ofClients(all);
        ofLimits(root.get("limits"), ofClients);
        for (Json server : IdCheck.servers(root)) {
            ofLimits(server.get("limits"), ofClients);
        }
        each(IdCheck.tcpServers(root), CONNECTIONS_MAX, ofClients, "connections of clients");
        each(IdCheck.boltServers(root), CONNECTIONS_MAX, ofClients, "connections of clients");
        each(IdCheck.udpServers(root), "max-sessions", Descriptors.ofSessions(all), "sessions of UDP");
        Json client = root.get("proxy-client");
        if (client != null) {
            atMost(client.get("max-pool-size-per-server"), Descriptors.ofNodes(all), "connections to nodes");
        }
    }

    private void ofLimits(@Nullable Json limits, int most) {
        if (limits != null) {
            atMost(limits.get(CONNECTIONS), most, "connections of clients");
        }
    }

    private void each(List<Json> servers, String key, int most, String what) {
        for (Json server : servers) {
            atMost(server.get(key), most, what);
        }
    }

    private void atMost(@Nullable Json value, int most, String what) {
        if (value != null && value.number().longValue() > most) {
            warnings.value(
                    value,
                    "<= " + most + ", which is what " + what + " may take of the " + all
                            + " file descriptors of this process (ulimit -n); no more of them are opened");
        }
    }
}
