package net.oooops.sigma.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A Redis that sigma.json names under {@code redis}, for plugins: {@link PluginContext#redis}. Connections, timeouts, bounds and TLS are what sigma.json
 * says; plugins that name the same one share its connections. Where sigma.json says something else at a reload, commands take the new way from then on.
 *
 * <p>No call waits: each gives a stage, which fails with a {@link RedisException} where there is no answer. While there is no connection it has failed
 * already when it is returned. A stage is completed on a thread of Redis' own, or on the one that calls: what depends on it must not block. Commands may
 * be sent from when the plugin is started until it is closed. Nothing is sent twice, so a command that failed may have been done or not.
 *
 * <p>Safe for use from any thread.
 */
public interface Redis extends AutoCloseable {
    /** What lies under that key (GET); empty where nothing does. */
    CompletionStage<Optional<byte[]>> get(String key);

    /**
     * Puts that under the key (SET with PX), whatever was there.
     *
     * @param lifetime after which it is gone; a millisecond at least
     */
    CompletionStage<@Nullable Void> set(String key, byte[] value, Duration lifetime);

    /** Takes away what lies under that key (DEL); whether there was anything. */
    CompletionStage<Boolean> delete(String key);

    /**
     * Runs a script (EVALSHA; EVAL where Redis doesn't know it yet) that returns a list of whole numbers.
     *
     * @param keys that it touches, {@code KEYS} in it
     * @param arguments {@code ARGV} in it
     */
    CompletionStage<List<Long>> run(RedisScript script, List<String> keys, List<String> arguments);

    /** Gives it back. To be called in {@link Plugin#close}: connections are closed after the last plugin that has it. Of no effect the second time. */
    @Override
    void close();
}
