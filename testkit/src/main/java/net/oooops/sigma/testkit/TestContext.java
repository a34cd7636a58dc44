package net.oooops.sigma.testkit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import net.oooops.sigma.api.Callee;
import net.oooops.sigma.api.Expression;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.Schedule;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** What a factory is given without a gateway: what is counted can be asked for. Safe for use from any thread. */
public final class TestContext implements PluginContext {
    private final Map<String, LongAdder> counted = new ConcurrentHashMap<>();
    private final Map<String, Timed> timers = new ConcurrentHashMap<>();
    private volatile @Nullable Redis redis;
    private volatile @Nullable Callee callee;
    private volatile @Nullable Expression expression;

    @Override
    public Reason reason(String text) {
        LongAdder counter = adder(text);
        return new Reason("test: " + text, counter::add);
    }

    @Override
    public Counter counter(String name, String description) {
        return adder(name)::add;
    }

    @Override
    public Gauge gauge(String name, String description) {
        return adder(name)::add;
    }

    @Override
    public Histogram histogram(String name, String description) {
        LongAdder counter = adder(name);
        return nanos -> counter.increment();
    }

    /** Has it give that one, whatever the id. */
    public TestContext with(Redis given) {
        redis = given;
        return this;
    }

    @Override
    public Redis redis(String id) {
        Redis given = redis;
        if (given == null) {
            throw new IllegalStateException("redis \"" + id + "\" (expected: one that the test gives)");
        }
        return given;
    }

    /** Has it give that one, whatever the text. */
    public TestContext with(Expression given) {
        expression = given;
        return this;
    }

    @Override
    public Expression expression(Settings text) {
        Expression given = expression;
        if (given == null) {
            throw new IllegalStateException("expression \"" + text.string() + "\" (expected: one that the test gives)");
        }
        return given;
    }

    /** Has it give that one, whatever the id. */
    public TestContext withCallee(Callee given) {
        callee = given;
        return this;
    }

    @Override
    public Callee callee(String proxyPassId) {
        Callee given = callee;
        if (given == null) {
            throw new IllegalStateException("callee \"" + proxyPassId + "\" (expected: one that the test gives)");
        }
        return given;
    }

    /** No time passes here: it is done where a test says so, by {@link #run}. Waking it is counted under its name. */
    @Override
    public Timer timer(String name, Schedule schedule, Task task) {
        if (timers.putIfAbsent(name, new Timed(schedule, task)) != null) {
            throw new IllegalArgumentException("timer \"" + name + "\" twice (expected: a name for each)");
        }
        LongAdder counter = adder(name);
        return counter::increment;
    }

    private record Timed(Schedule schedule, Task task) {}

    /** When the timer of that name is to be done. */
    public Schedule schedule(String timer) {
        return timed(timer).schedule();
    }

    /**
     * Does what the timer of that name does, once, on a virtual thread as the gateway has it; waits for that, ten seconds at most.
     *
     * @throws Exception as it is thrown
     */
    public void run(String timer) throws Exception {
        Task task = timed(timer).task();
        PluginHarness.onVirtualThread(() -> {
            task.run();
            return Outcome.CONTINUE;
        });
    }

    private Timed timed(String timer) {
        Timed timed = timers.get(timer);
        if (timed == null) {
            throw new IllegalStateException("timer \"" + timer + "\" (expected: one of " + timers.keySet() + ")");
        }
        return timed;
    }

    private LongAdder adder(String name) {
        return counted.computeIfAbsent(name, each -> new LongAdder());
    }

    /** What was counted under that name or reason; of a histogram, how often. A reason is counted where a {@link PluginHarness} saw it take effect. */
    public long count(String name) {
        LongAdder counter = counted.get(name);
        return counter == null ? 0 : counter.sum();
    }
}
