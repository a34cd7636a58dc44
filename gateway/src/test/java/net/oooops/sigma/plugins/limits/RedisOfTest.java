package net.oooops.sigma.plugins.limits;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.RedisException;
import net.oooops.sigma.api.RedisScript;
import org.jspecify.annotations.Nullable;

/** Does what the script does, by the test's clock; questions reach it, and answers come back, when the test says so. One thread. */
final class RedisOfTest {
    private final LongSupplier clock;
    private final Map<String, Long> full = new HashMap<>();

    RedisOfTest(LongSupplier clock) {
        this.clock = clock;
    }

    /** What one process has of it. */
    Line line() {
        return new Line();
    }

    /** All that was there is gone. */
    void forget() {
        full.clear();
    }

    private List<Long> script(List<String> keys, List<Long> arguments) {
        long now = clock.getAsLong() / LeaseScript.UNIT_NANOS;
        long want = arguments.getFirst();
        long debt = arguments.get(1);
        long cost = arguments.get(2);
        int more = 3 + 2 * keys.size();
        if (arguments.size() > more) {
            return back(keys, arguments, more, now);
        }
        long[] away = new long[keys.size()];
        for (int i = 0; i < away.length; i++) {
            long token = arguments.get(3 + 2 * i);
            long bucket = arguments.get(4 + 2 * i);
            long of = Math.max(0, full.getOrDefault(keys.get(i), now) - now);
            away[i] = Math.min(of, 2 * bucket) + debt * token;
            want = Math.min(want, Math.floorDiv(bucket - away[i], token));
        }
        want = Math.max(0, want - Math.floorMod(want, cost));
        List<Long> answer = new ArrayList<>(List.of(want));
        for (int i = 0; i < away.length; i++) {
            away[i] += want * arguments.get(3 + 2 * i);
            full.put(keys.get(i), now + away[i]);
            answer.add(away[i]);
        }
        answer.add(now);
        return answer;
    }

    private List<Long> back(List<String> keys, List<Long> arguments, int more, long now) {
        for (int i = 0; i < keys.size(); i++) {
            if (!arguments.get(more + 1 + i).equals(full.get(keys.get(i)))) {
                return List.of(0L);
            }
        }
        for (int i = 0; i < keys.size(); i++) {
            long tokens = arguments.get(more) * arguments.get(3 + 2 * i);
            full.put(keys.get(i), Math.max(now, arguments.get(more + 1 + i) - tokens));
        }
        return List.of(1L);
    }

    /** Of one process. */
    final class Line implements Redis {
        private final ArrayDeque<Runnable> asked = new ArrayDeque<>();
        private final ArrayDeque<Runnable> answered = new ArrayDeque<>();
        private RedisException.@Nullable Kind lostFor;
        private boolean isClosed;
        private long askedCount;

        /** From now on nothing is answered, or it is again. */
        void lose(boolean lost) {
            lostFor = lost ? RedisException.Kind.GONE : null;
        }

        /** From now on more was asked than may be. */
        void crowd() {
            lostFor = RedisException.Kind.FULL;
        }

        boolean isClosed() {
            return isClosed;
        }

        /** How often it was asked. */
        long askedCount() {
            return askedCount;
        }

        /** The next question reaches it. */
        void reach() {
            Runnable next = asked.poll();
            if (next != null) {
                next.run();
            }
        }

        /** The next answer comes back. */
        void come() {
            Runnable next = answered.poll();
            if (next != null) {
                next.run();
            }
        }

        /** All that was asked, and what is asked because of that, is answered. */
        void settle() {
            while (!asked.isEmpty() || !answered.isEmpty()) {
                reach();
                come();
            }
        }

        @Override
        public CompletionStage<List<Long>> run(RedisScript script, List<String> keys, List<String> arguments) {
            askedCount++;
            RedisException.Kind kind = lostFor;
            if (kind != null) {
                return CompletableFuture.failedFuture(new RedisException(kind, "lost"));
            }
            CompletableFuture<List<Long>> answer = new CompletableFuture<>();
            asked.add(() -> {
                List<Long> numbers =
                        script(keys, arguments.stream().map(Long::valueOf).toList());
                answered.add(() -> answer.complete(numbers));
            });
            return answer;
        }

        @Override
        public CompletionStage<Optional<byte[]>> get(String key) {
            throw new UnsupportedOperationException("get");
        }

        @Override
        public CompletionStage<@Nullable Void> set(String key, byte[] value, Duration lifetime) {
            throw new UnsupportedOperationException("set");
        }

        @Override
        public CompletionStage<Boolean> delete(String key) {
            throw new UnsupportedOperationException("delete");
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
