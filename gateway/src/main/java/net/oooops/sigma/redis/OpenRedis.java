package net.oooops.sigma.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.RedisException;
import net.oooops.sigma.api.RedisException.Kind;
import net.oooops.sigma.api.RedisScript;
import net.oooops.sigma.redis.Command.Read;
import org.jspecify.annotations.Nullable;

/** What one plugin has of a Redis. Any thread. */
final class OpenRedis implements Redis {
    private static final String UNKNOWN_SCRIPT = "NOSCRIPT";

    private final RedisClients clients;
    private final RedisClients.Place place;
    private final AtomicBoolean closed = new AtomicBoolean();

    OpenRedis(RedisClients clients, RedisClients.Place place) {
        this.clients = clients;
        this.place = place;
    }

    @Override
    public CompletionStage<Optional<byte[]>> get(String key) {
        return ask(
                reply -> reply instanceof byte[] value
                        ? new Read<>(Optional.of(value))
                        : reply == ReplyReader.NIL ? new Read<>(Optional.<byte[]>empty()) : null,
                List.of(bytes("GET"), bytes(key)));
    }

    @Override
    public CompletionStage<@Nullable Void> set(String key, byte[] value, Duration lifetime) {
        byte[] millis = bytes(Long.toString(Math.max(1, lifetime.toMillis())));
        return this.<@Nullable Void>ask(
                reply -> "OK".equals(reply) ? new Read<@Nullable Void>(null) : null,
                List.of(bytes("SET"), bytes(key), value, bytes("PX"), millis));
    }

    @Override
    public CompletionStage<Boolean> delete(String key) {
        return ask(
                reply -> reply instanceof Long count ? new Read<>(count > 0) : null, List.of(bytes("DEL"), bytes(key)));
    }

    @Override
    public CompletionStage<List<Long>> run(RedisScript script, List<String> keys, List<String> arguments) {
        CompletableFuture<List<Long>> answer = new CompletableFuture<>();
        List<byte[]> known = script("EVALSHA", script.digest(), keys, arguments);
        ask(OpenRedis::numbers, known).whenComplete((numbers, failed) -> {
            if (isUnknown(failed)) {
                List<byte[]> whole = script("EVAL", script.text(), keys, arguments);
                ask(OpenRedis::numbers, whole).whenComplete((then, again) -> end(answer, then, again));
            } else {
                end(answer, numbers, failed);
            }
        });
        return answer;
    }

    private static boolean isUnknown(@Nullable Throwable failed) {
        return failed instanceof RedisException refused
                && refused.kind() == Kind.REFUSED
                && String.valueOf(refused.getMessage()).startsWith(UNKNOWN_SCRIPT);
    }

    private static void end(
            CompletableFuture<List<Long>> answer, @Nullable List<Long> numbers, @Nullable Throwable failed) {
        if (numbers != null) {
            answer.complete(numbers);
        } else {
            answer.completeExceptionally(
                    failed == null ? new RedisException(Kind.GARBAGE, "an answer of nothing") : failed);
        }
    }

    private static @Nullable Read<List<Long>> numbers(Object reply) {
        if (!(reply instanceof List<?> list)) {
            return null;
        }
        List<Long> numbers = new ArrayList<>(list.size());
        for (Object each : list) {
            if (!(each instanceof Long number)) {
                return null;
            }
            numbers.add(number);
        }
        return new Read<>(List.copyOf(numbers));
    }

    private static List<byte[]> script(String command, String script, List<String> keys, List<String> arguments) {
        List<byte[]> parts = new ArrayList<>(3 + keys.size() + arguments.size());
        parts.add(bytes(command));
        parts.add(bytes(script));
        parts.add(bytes(Integer.toString(keys.size())));
        keys.forEach(key -> parts.add(bytes(key)));
        arguments.forEach(argument -> parts.add(bytes(argument)));
        return parts;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private <T extends @Nullable Object> CompletionStage<T> ask(
            Function<Object, @Nullable Read<T>> reading, List<byte[]> parts) {
        RedisClient client = closed.get() ? null : place.client();
        if (client != null && client.isUsable()) {
            Command<T> command = new Command<>(reading, parts);
            client.send(command);
            return command.answer();
        }
        // Nothing is written for it: while Redis is away there may be many.
        String why = client == null ? "not begun, or closed" : "no connection";
        return CompletableFuture.failedFuture(place.counts().failure(Kind.GONE, "redis " + place.id() + ": " + why));
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            clients.leave(place);
        }
    }
}
