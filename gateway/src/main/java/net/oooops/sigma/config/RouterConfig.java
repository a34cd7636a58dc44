package net.oooops.sigma.config;

import java.util.List;
import net.oooops.sigma.api.Cidr;

/**
 * A set of routes under the virtual hosts of one listener.
 *
 * @param id unique among routers
 * @param desc free text, empty where not given
 * @param listenerId the id of a listener ({@code proxy-server-id}); empty where routes of other routers lead to this one
 * @param virtualHosts lower case, exact ({@code www.example.com}) or {@code *.example.com}; empty for every host
 * @param allowForward which forwarding headers of the client are believed
 * @param trustedProxies from whom they are believed; not empty unless {@code allowForward} is {@code NONE}
 * @param plugins in the order written
 * @param routes in the order written
 */
public record RouterConfig(
        String id,
        String desc,
        String listenerId,
        List<String> virtualHosts,
        AllowForward allowForward,
        List<Cidr> trustedProxies,
        List<PluginConfig> plugins,
        List<RouteConfig> routes) {

    public RouterConfig {
        virtualHosts = List.copyOf(virtualHosts);
        trustedProxies = List.copyOf(trustedProxies);
        plugins = List.copyOf(plugins);
        routes = List.copyOf(routes);
    }
}
