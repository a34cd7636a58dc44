package net.oooops.sigma.plugins.limits;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** What holds for whom: for the consumers of a plan what is said for that, for all others the rest. Immutable, any thread. */
final class ByPlan<T> {
    /** What the plan of all others is called where plans are read. */
    static final String REST = "";

    /** The schema of a plan's {@code id}. */
    static final String ID_SCHEMA = """
            {
              "title": "id",
              "description": "What consumers of the plan have in `X-Consumer-Plan`.",
              "type": "string",
              "pattern": "^[A-Za-z0-9._-]{1,64}$",
              "x-expected": "1 to 64 letters, digits and characters of \\"._-\\""
            }""";

    private final T rest;
    private final Map<String, T> plans;

    private ByPlan(T rest, Map<String, T> plans) {
        this.rest = rest;
        this.plans = Map.copyOf(plans);
    }

    /**
     * As {@code plans} says it, and for the rest what stands beside it.
     *
     * @param one reads what is said for a plan, by its id
     */
    static <T> ByPlan<T> read(Settings settings, BiFunction<String, Settings, T> one) {
        T rest = one.apply(REST, settings);
        Map<String, T> plans = new HashMap<>();
        for (Settings plan : settings.get("plans").elements()) {
            String id = plan.get("id").string();
            if (plans.putIfAbsent(id, one.apply(id, plan)) != null) {
                throw plan.get("id").unexpected("an id that no other plan has");
            }
        }
        return new ByPlan<>(rest, plans);
    }

    /** What holds for whom that request is from, as far as plugins before have found out. */
    T of(Exchange exchange) {
        if (plans.isEmpty()) {
            return rest;
        }
        Consumer consumer = exchange.consumer();
        String plan = consumer == null ? null : consumer.plan();
        @Nullable T found = plan == null ? null : plans.get(plan);
        return found == null ? rest : found;
    }

    /** What holds for those without a plan. */
    T rest() {
        return rest;
    }

    /** What is made of each. */
    <R> ByPlan<R> map(Function<T, R> made) {
        Map<String, R> all = new HashMap<>();
        plans.forEach((id, of) -> all.put(id, made.apply(of)));
        return new ByPlan<>(made.apply(rest), all);
    }

    /**
     * These, in the place of others: a plan is known by its id.
     *
     * @param one what becomes of one, and of what there was in its place
     */
    ByPlan<T> after(ByPlan<T> before, BinaryOperator<T> one) {
        Map<String, T> all = new HashMap<>();
        plans.forEach((id, of) -> {
            T there = before.plans.get(id);
            all.put(id, there == null ? of : one.apply(of, there));
        });
        return new ByPlan<>(one.apply(rest, before.rest), all);
    }

    /** Has something done with each. */
    void forEach(java.util.function.Consumer<T> done) {
        done.accept(rest);
        plans.values().forEach(done);
    }
}
