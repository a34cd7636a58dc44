package net.oooops.sigma.lab.gateways;

import com.netflix.appinfo.InstanceInfo;
import com.netflix.client.config.IClientConfig;
import com.netflix.loadbalancer.AbstractServerList;
import com.netflix.niws.loadbalancer.DiscoveryEnabledServer;
import java.util.List;

/** The one node, in the form in which Eureka would tell of it: Zuul's balancer takes no other. */
public final class OneNode extends AbstractServerList<DiscoveryEnabledServer> {

    static final String ADDRESS = "127.0.0.1";
    static final String PORT = "node.port";

    @Override
    public void initWithNiwsConfig(IClientConfig config) {
        // What it has to know, it is told by the system property.
    }

    @Override
    public List<DiscoveryEnabledServer> getInitialListOfServers() {
        InstanceInfo node = InstanceInfo.Builder.newBuilder()
                .setAppName(ToNode.NODE)
                .setInstanceId(ToNode.NODE)
                .setHostName(ADDRESS)
                .setIPAddr(ADDRESS)
                .setPort(Integer.getInteger(PORT))
                .build();
        return List.of(new DiscoveryEnabledServer(node, false));
    }

    @Override
    public List<DiscoveryEnabledServer> getUpdatedListOfServers() {
        return getInitialListOfServers();
    }
}
