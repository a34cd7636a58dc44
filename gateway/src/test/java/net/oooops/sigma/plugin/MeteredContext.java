package net.oooops.sigma.plugin;

import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.redis.RedisClients;

/** What a factory is given, counting in meters of the test's own. */
public final class MeteredContext {
    private MeteredContext() {}

    /** What a plugin of that name is given, of which nothing is ever connected or done. */
    public static PluginContext of(String plugin, PluginMeters meters) {
        return new GivenContext(plugin, meters, new RedisClients()::open, new OwnWork(new Callees()));
    }
}
