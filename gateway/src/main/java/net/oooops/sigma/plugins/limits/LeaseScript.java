package net.oooops.sigma.plugins.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.RedisScript;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of Redis: it takes what is owed, and as many tokens of what is wanted as each bucket has; or it takes back what was taken last. That is one
 * script, so that Redis knows it when there is no time to send it.
 *
 * <p>Under each key is the time at which its bucket will be full again, in units of {@value #UNIT_NANOS} ns since 2026 by Redis' own clock: whole numbers
 * that Lua counts exactly until 2040. A bucket that is full has none. Debts are taken whether there are tokens or not, so a bucket may lack some; it lacks a
 * whole bucket at most, be it that somebody set Redis' clock back. Immutable, any thread.
 */
final class LeaseScript {
    /** What a token's time is a multiple of. */
    static final long UNIT_NANOS = 50;

    private static final RedisScript SCRIPT = RedisScript.of("""
            local time = redis.call('TIME')
            local now = (time[1] - 1767225600) * 20000000 + time[2] * 20
            local want, debt, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
            local more = 2 * #KEYS + 4
            if #ARGV >= more then
              for i = 1, #KEYS do
                if redis.call('GET', KEYS[i]) ~= ARGV[more + i] then
                  return {0}
                end
              end
              for i = 1, #KEYS do
                local full = math.max(now, tonumber(ARGV[more + i]) - tonumber(ARGV[more]) * tonumber(ARGV[2 * i + 2]))
                redis.call('SET', KEYS[i], string.format('%.0f', full), 'PX', math.max(1, math.ceil((full - now) / 20000)))
              end
              return {1}
            end
            local away = {}
            for i = 1, #KEYS do
              local token, bucket = tonumber(ARGV[2 * i + 2]), tonumber(ARGV[2 * i + 3])
              local full = tonumber(redis.call('GET', KEYS[i]) or '') or now
              away[i] = math.min(math.max(0, full - now), 2 * bucket) + debt * token
              want = math.min(want, math.floor((bucket - away[i]) / token))
            end
            want = math.max(0, want - want % cost)
            for i = 1, #KEYS do
              away[i] = away[i] + want * tonumber(ARGV[2 * i + 2])
              if away[i] > 0 then
                redis.call('SET', KEYS[i], string.format('%.0f', now + away[i]), 'PX', math.ceil(away[i] / 20000))
              end
            end
            table.insert(away, 1, want)
            table.insert(away, now)
            return away
            """);

    private final String prefix;
    private final List<String> ends = new ArrayList<>();
    private final List<String> perRate = new ArrayList<>();
    private final String cost;

    /**
     * An answer.
     *
     * @param tokens so many were got, a multiple of the cost
     * @param awayNanos how long each bucket takes to be full, from when Redis was asked
     * @param fullUnits when that is, as Redis counts
     */
    record Answer(long tokens, List<Long> awayNanos, List<Long> fullUnits) {}

    /** @param name of the limit, for all that share it */
    LeaseScript(String name, Rate[] rates, long cost) {
        this.prefix = "sigma:limit:{" + name + ":";
        this.cost = Long.toString(cost);
        for (Rate rate : rates) {
            ends.add("}:" + rate.name() + ":" + rate.perNanos() / 1_000_000);
            perRate.add(Long.toString(rate.tokenNanos() / UNIT_NANOS));
            perRate.add(Long.toString(rate.bucketNanos() / UNIT_NANOS));
        }
    }

    /** Asks for so many tokens of that key. */
    CompletionStage<List<Long>> ask(Redis redis, String key, long want, long debt) {
        return redis.run(SCRIPT, keys(key), arguments(want, debt));
    }

    /**
     * Gives so many tokens of that key back, where nobody has taken any since.
     *
     * @param fullUnits when the buckets were to be full once those tokens had been taken
     */
    void giveBack(Redis redis, String key, long tokens, List<Long> fullUnits) {
        List<String> arguments = arguments(0, 0);
        arguments.add(Long.toString(tokens));
        fullUnits.forEach(each -> arguments.add(Long.toString(each)));
        redis.run(SCRIPT, keys(key), arguments);
    }

    private List<String> keys(String key) {
        List<String> keys = new ArrayList<>(ends.size());
        ends.forEach(end -> keys.add(prefix + key + end));
        return keys;
    }

    private List<String> arguments(long want, long debt) {
        List<String> arguments = new ArrayList<>(2 * perRate.size() + 4);
        arguments.add(Long.toString(want));
        arguments.add(Long.toString(debt));
        arguments.add(cost);
        arguments.addAll(perRate);
        return arguments;
    }

    /** What it says; null where it can't be an answer to that. */
    @Nullable Answer read(List<Long> numbers, long wanted) {
        if (numbers.size() != ends.size() + 2 || numbers.getFirst() < 0 || numbers.getFirst() > wanted) {
            return null;
        }
        long now = numbers.getLast();
        List<Long> away = new ArrayList<>(ends.size());
        List<Long> full = new ArrayList<>(ends.size());
        for (long units : numbers.subList(1, numbers.size() - 1)) {
            if (units < 0 || units > Long.MAX_VALUE / 4 / UNIT_NANOS) {
                return null;
            }
            away.add(units * UNIT_NANOS);
            full.add(now + units);
        }
        return new Answer(numbers.getFirst(), away, full);
    }
}
