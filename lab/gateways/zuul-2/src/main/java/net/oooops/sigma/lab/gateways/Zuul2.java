package net.oooops.sigma.lab.gateways;

import com.netflix.appinfo.ApplicationInfoManager;
import com.netflix.appinfo.InstanceInfo.InstanceStatus;
import com.netflix.config.ConfigurationManager;
import com.netflix.netty.common.accesslog.AccessLogPublisher;
import com.netflix.netty.common.channel.config.ChannelConfig;
import com.netflix.netty.common.channel.config.CommonChannelConfigKeys;
import com.netflix.netty.common.metrics.EventLoopGroupMetrics;
import com.netflix.netty.common.proxyprotocol.StripUntrustedProxyHeadersHandler.AllowWhen;
import com.netflix.netty.common.status.ServerStatusManager;
import com.netflix.spectator.api.NoopRegistry;
import com.netflix.spectator.api.Registry;
import com.netflix.zuul.BasicRequestCompleteHandler;
import com.netflix.zuul.DefaultFilterFactory;
import com.netflix.zuul.StaticFilterLoader;
import com.netflix.zuul.context.ZuulSessionContextDecorator;
import com.netflix.zuul.netty.server.BaseServerStartup;
import com.netflix.zuul.netty.server.DefaultEventLoopConfig;
import com.netflix.zuul.netty.server.DirectMemoryMonitor;
import com.netflix.zuul.netty.server.NamedSocketAddress;
import com.netflix.zuul.netty.server.Server;
import com.netflix.zuul.netty.server.ZuulServerChannelInitializer;
import com.netflix.zuul.origins.BasicNettyOriginManager;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** Zuul 2 with a route to one node, and the settings of zuul.properties. Arguments: port, the node's port, cores. */
public final class Zuul2 extends BaseServerStartup {

    private static final Registry METRICS = new NoopRegistry();

    private final int port;

    private Zuul2(int port, int cores, ApplicationInfoManager instance) {
        super(
                new ServerStatusManager(instance) {
                    @Override
                    public void localStatus(InstanceStatus status) {
                        // Nobody is told: there is no Eureka.
                    }
                },
                new StaticFilterLoader(new DefaultFilterFactory(), Set.of(ToNode.class, AsItCame.class)),
                new ZuulSessionContextDecorator(new BasicNettyOriginManager(METRICS)),
                (filter, status) -> {},
                new BasicRequestCompleteHandler(),
                METRICS,
                new DirectMemoryMonitor(METRICS),
                new EventLoopGroupMetrics(METRICS),
                new DefaultEventLoopConfig(cores, 1),
                null,
                instance,
                new AccessLogPublisher("ACCESS", (channel, request) -> ""));
        this.port = port;
    }

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        try (var file = Zuul2.class.getResourceAsStream("/zuul.properties")) {
            settings.load(file);
        }
        System.setProperty(OneNode.PORT, arguments[1]);
        ConfigurationManager.loadProperties(settings);
        Zuul2 zuul = new Zuul2(
                Integer.parseInt(arguments[0]),
                Integer.parseInt(arguments[2]),
                new ApplicationInfoManager(null, null, null));
        zuul.init();
        Server server = zuul.server();
        server.start();
        server.awaitTermination();
    }

    @Override
    protected Map<NamedSocketAddress, ChannelInitializer<?>> chooseAddrsAndChannels(ChannelGroup clients) {
        ChannelConfig config = defaultChannelConfig("main");
        config.set(CommonChannelConfigKeys.allowProxyHeadersWhen, AllowWhen.ALWAYS);
        config.set(CommonChannelConfigKeys.preferProxyProtocolForClientIp, false);
        config.set(CommonChannelConfigKeys.isSSlFromIntermediary, false);
        config.set(CommonChannelConfigKeys.withProxyProtocol, false);
        return Map.of(
                new NamedSocketAddress("http", new InetSocketAddress(OneNode.ADDRESS, port)),
                new ZuulServerChannelInitializer("main", config, defaultChannelDependencies("main"), clients));
    }
}
