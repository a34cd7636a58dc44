package net.oooops.sigma.plugins.authentication.oidc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.RedisScript;

/**
 * Who renews a session, of all gateways: who has the lease of it in Redis, which ends by itself where its owner doesn't end it. Immutable, any thread.
 *
 * @param lifetime for which one is good
 */
record Leases(Redis redis, Duration lifetime) {
    private static final String END = ":renewal";

    /** Takes it, where nobody else has it: what couldn't be given back is one's own still. */
    private static final RedisScript TAKE = RedisScript.of("""
            local owner = redis.call('GET', KEYS[1])
            if owner and owner ~= ARGV[1] then
              return {0}
            end
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
            return {1}
            """);

    /** Gives it back, where it is still one's own. */
    private static final RedisScript GIVE_BACK = RedisScript.of("""
            if redis.call('GET', KEYS[1]) == ARGV[1] then
              return {redis.call('DEL', KEYS[1])}
            end
            return {0}
            """);

    /** Keeps what came of it in the place of what is there, unless that was ended, or another one is at it by now. */
    private static final RedisScript KEEP = RedisScript.of("""
            local owner = redis.call('GET', KEYS[1])
            if owner and owner ~= ARGV[1] then
              return {0}
            end
            redis.call('DEL', KEYS[1])
            if redis.call('SET', KEYS[2], ARGV[2], 'XX', 'PX', ARGV[3]) then
              return {1}
            end
            return {2}
            """);

    /** What became of a session that was to be kept. */
    enum End {
        OTHERS,
        KEPT,
        GONE
    }

    /** Whether that one has it now. */
    CompletionStage<Boolean> take(String key, String owner) {
        return redis.run(TAKE, List.of(key + END), List.of(owner, Long.toString(lifetime.toMillis())))
                .thenApply(answer -> answer.equals(List.of(1L)));
    }

    /** Keeps a session under its key, and ends the lease. */
    CompletionStage<End> keep(String key, String owner, String session, long seconds) {
        return redis.run(KEEP, List.of(key + END, key), List.of(owner, session, Long.toString(seconds * 1_000)))
                .thenApply(answer ->
                        answer.equals(List.of(1L)) ? End.KEPT : answer.equals(List.of(2L)) ? End.GONE : End.OTHERS);
    }

    /** Nobody waits for that. */
    void giveBack(String key, String owner) {
        redis.run(GIVE_BACK, List.of(key + END), List.of(owner));
    }
}
