package net.oooops.sigma.redis;

import java.util.List;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.config.RedisConfig;
import net.oooops.sigma.testkit.Await;

/** What plugins have of Redis, with one configuration. */
abstract class RedisFixture {
    final RedisClients clients = new RedisClients();

    final Redis begun(RedisConfig config) {
        Redis redis = clients.open(config.id());
        clients.begin(List.of(config));
        return redis;
    }

    /** The same, with its connections: the first ones of a JVM take their time on a machine that others stall. */
    final Redis ready(RedisConfig config) {
        Redis redis = begun(config);
        Await.until(
                "connections",
                () -> reading().connectionsCount() >= config.bounds().connections());
        return redis;
    }

    final RedisReading reading() {
        return clients.read().getFirst();
    }
}
