package net.oooops.sigma.redis;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.config.RedisConfig;
import org.jspecify.annotations.Nullable;

/**
 * Those that sigma.json names, by id. What a plugin is given leads to whatever its id stands for now: a plugin that stays at a reload goes on with it, and
 * where nothing changed the connections are the same. A client is there from when the first plugin that has it begins until the last one is closed.
 *
 * <p>Any thread; {@link #begin} and {@link #follow} on the one that starts or reloads the gateway.
 */
public final class RedisClients {
    private final Map<String, Place> places = new LinkedHashMap<>();
    /** In whose places others are, and which end what is under way. */
    private final List<RedisClient> retired = new ArrayList<>();

    private @Nullable Vertx vertx;

    /** One of them, whatever it is now. Its fields are changed under the lock of all. */
    static final class Place {
        private final String id;
        private final RedisCounts counts = new RedisCounts();
        private volatile @Nullable RedisClient client;
        private int usersCount;

        private Place(String id) {
            this.id = id;
        }

        String id() {
            return id;
        }

        RedisCounts counts() {
            return counts;
        }

        /** Null before its first user begins, and after the last one. */
        @Nullable RedisClient client() {
            return client;
        }
    }

    /** For one more user, until that one closes it. */
    public synchronized Redis open(String id) {
        Place place = places.computeIfAbsent(id, Place::new);
        place.usersCount++;
        return new OpenRedis(this, place);
    }

    /** Plugins begin: what isn't connected yet, and has a user, is from now on. What is stays as it is: these may come to nothing. */
    public synchronized void begin(List<RedisConfig> configs) {
        for (RedisConfig config : configs) {
            Place place = places.get(config.id());
            if (place != null && place.usersCount > 0 && place.client == null) {
                place.client = start(place, config);
            }
        }
    }

    /** That is what holds from now on. */
    public synchronized void follow(List<RedisConfig> configs) {
        begin(configs);
        for (RedisConfig config : configs) {
            Place place = places.get(config.id());
            RedisClient before = place == null ? null : place.client;
            if (place != null && before != null && !before.config().isAs(config)) {
                place.client = start(place, config);
                before.retire();
                retired.add(before);
            }
        }
        retired.removeIf(RedisClient::isClosed);
        places.values()
                .removeIf(place -> place.usersCount == 0
                        && configs.stream().noneMatch(config -> config.id().equals(place.id)));
    }

    private RedisClient start(Place place, RedisConfig config) {
        Vertx on = vertx;
        if (on == null) {
            // Java's own sockets, as for all that runs beside the Workers.
            on = Vertx.vertx(new VertxOptions()
                    .setEventLoopPoolSize(1)
                    .setPreferNativeTransport(false)
                    .setFileSystemOptions(
                            new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
            vertx = on;
        }
        return new RedisClient(on, config, place.counts);
    }

    synchronized void leave(Place place) {
        place.usersCount--;
        RedisClient client = place.client;
        if (place.usersCount > 0 || client == null) {
            return;
        }
        place.client = null;
        client.close();
        Vertx on = vertx;
        if (on != null && places.values().stream().allMatch(each -> each.client == null)) {
            vertx = null;
            retired.forEach(RedisClient::close);
            retired.clear();
            on.close();
        }
    }

    /** What is counted of all that somebody uses, or used. */
    public synchronized List<RedisReading> read() {
        List<RedisReading> all = new ArrayList<>();
        places.values().forEach(place -> all.add(place.counts.read(place.id)));
        return all;
    }
}
