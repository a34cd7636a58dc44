package net.oooops.sigma.redis;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import net.oooops.sigma.api.RedisException;
import net.oooops.sigma.api.RedisException.Kind;

/** What is counted of one Redis. It outlives what is connected. Any thread. */
final class RedisCounts {
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private final LongAdder commands = new LongAdder();
    private final Map<Kind, LongAdder> failures = new EnumMap<>(Kind.class);

    RedisCounts() {
        for (Kind kind : Kind.values()) {
            failures.put(kind, new LongAdder());
        }
    }

    void connected(int more) {
        connections.addAndGet(more);
    }

    /** So many more commands have no answer yet. */
    void waiting(int more) {
        waiting.addAndGet(more);
    }

    void command() {
        commands.increment();
    }

    RedisException failure(Kind kind, String why) {
        LongAdder of = failures.get(kind);
        if (of != null) {
            of.increment();
        }
        return new RedisException(kind, why);
    }

    RedisReading read(String id) {
        Map<Kind, Long> failed = new EnumMap<>(Kind.class);
        failures.forEach((kind, count) -> failed.put(kind, count.sum()));
        return new RedisReading(id, connections.get(), waiting.get(), commands.sum(), failed);
    }
}
