package net.oooops.sigma.testkit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import net.oooops.sigma.api.Expression;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** What a factory is given without a gateway: what is counted can be asked for. Safe for use from any thread. */
public final class TestContext implements PluginContext {
    private final Map<String, LongAdder> counted = new ConcurrentHashMap<>();
    private volatile @Nullable Redis redis;
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

    private LongAdder adder(String name) {
        return counted.computeIfAbsent(name, each -> new LongAdder());
    }

    /** What was counted under that name or reason; of a histogram, how often. A reason is counted where a {@link PluginHarness} saw it take effect. */
    public long count(String name) {
        LongAdder counter = counted.get(name);
        return counter == null ? 0 : counter.sum();
    }
}
