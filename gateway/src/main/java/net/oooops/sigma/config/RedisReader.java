package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.UnfitException;

/** Reads {@code redis}. */
final class RedisReader {
    static final String SECTION = "redis";

    private static final int SIZE_BYTES_MIN = 1024;

    private final Problems problems;
    private final NodeTlsReader tls;

    RedisReader(Problems problems, NodeTlsReader tls) {
        this.problems = problems;
        this.tls = tls;
    }

    /** All of them, as far as there is no problem with one. */
    List<RedisConfig> read(Json root) {
        List<RedisConfig> all = new ArrayList<>();
        for (Json each : root.itemsOf(SECTION)) {
            RedisConfig read = problems.isWithin(each) ? null : one(each);
            if (read != null && !problems.isWithin(each)) {
                all.add(read);
            }
        }
        return all;
    }

    private RedisConfig one(Json redis) {
        Json ssl = redis.get("ssl");
        RedisConfig.Bounds otherwise = RedisConfig.Bounds.DEFAULT;
        return new RedisConfig(
                redis.text("id", ""),
                redis.itemsOf("nodes").stream().map(node -> node(node.text())).toList(),
                new RedisConfig.User(redis.text("username", ""), redis.text("password", "")),
                redis.integer("database", 0),
                ssl == null ? null : tls.ofOthers(ssl),
                new RedisConfig.Bounds(
                        SectionBuilder.nanos(redis, "connect-timeout", otherwise.connectTimeoutNanos()),
                        SectionBuilder.nanos(redis, "command-timeout", otherwise.commandTimeoutNanos()),
                        redis.integer("connections", otherwise.connections()),
                        redis.integer("max-waiting", otherwise.waitingMax()),
                        SectionBuilder.bytes(redis, "max-waiting-size", otherwise.waitingBytesMax()),
                        SectionBuilder.bytes(redis, "max-reply", otherwise.replyBytesMax())));
    }

    /** {@code 10.0.0.5:6379}, {@code redis.internal:6379} or {@code [fd00::5]:6379}. */
    static NodeConfig node(String text) {
        try {
            return NodeUrl.node("tcp://" + text, NodeConfig.WEIGHT_DEFAULT);
        } catch (UnfitException e) {
            throw new UnfitException("host:port, such as 10.0.0.5:6379, redis.internal:6379 or [fd00::5]:6379");
        }
    }

    /** What a schema can't say of them. */
    static void check(Json root, Problems problems) {
        for (Json each : root.itemsOf(SECTION)) {
            problems.texts(each.itemsOf("nodes"), TextSyntax.REDIS_NODE);
            Json named = each.get("username");
            if (named != null && each.get("password") == null) {
                problems.key(named, "\"username\"", "\"password\" beside it", null);
            }
            for (String size : List.of("max-waiting-size", "max-reply")) {
                Json written = each.get(size);
                if (written != null
                        && written.isText()
                        && !problems.has(written)
                        && SectionBuilder.bytes(each, size, SIZE_BYTES_MIN) < SIZE_BYTES_MIN) {
                    problems.value(written, "1KiB at least");
                }
            }
        }
    }
}
