package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.ValueMatch;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one Listener of Bolt, compiled: tried in the order written, the first whose conditions all hold takes the call.
 * Names and values are compared as bytes of UTF-8, as they are on the wire.
 *
 * <p>Immutable, for all Workers.
 *
 * @param <T> where a route leads
 */
public final class CallRoutes<T> {
    /**
     * One route.
     *
     * @param className exact, or a prefix that ends in {@code *}; empty for any
     * @param headers all of them must hold
     */
    public record Rule<T>(String className, List<ValueMatch> headers, T target) {
        public Rule {
            headers = List.copyOf(headers);
        }
    }

    private final List<Compiled<T>> routes = new ArrayList<>();

    private CallRoutes() {}

    /**
     * Compiles routes.
     *
     * @throws java.util.regex.PatternSyntaxException where a regular expression is none
     */
    public static <T> CallRoutes<T> of(List<Rule<T>> rules) {
        CallRoutes<T> routes = new CallRoutes<>();
        Map<String, byte[]> keys = new HashMap<>();
        for (Rule<T> rule : rules) {
            routes.routes.add(new Compiled<>(rule, keys));
        }
        return routes;
    }

    /** Where the first route leads that takes the call, or null where none does. */
    public @Nullable T match(Call call) {
        byte[] sought = null;
        boolean found = false;
        for (int i = 0; i < routes.size(); i++) {
            Compiled<T> route = routes.get(i);
            boolean holds = route.hasClass(call);
            for (int j = 0; holds && j < route.conditions.length; j++) {
                Condition condition = route.conditions[j];
                // Routes that follow one another mostly ask for the same key: it is looked for once.
                if (condition.key != sought) {
                    sought = condition.key;
                    found = call.seek(sought);
                }
                holds = condition.holds(call, found);
            }
            if (holds) {
                return route.rule.target();
            }
        }
        return null;
    }

    /** Why each route, in their order, takes the call or does not: an empty text where all its conditions hold. */
    public List<String> explain(Call call) {
        List<String> reasons = new ArrayList<>();
        for (Compiled<T> route : routes) {
            reasons.add(route.reason(call));
        }
        return reasons;
    }

    /** The routes in their order. */
    public List<Rule<T>> rules() {
        return routes.stream().map(route -> route.rule).toList();
    }

    /** A rule ready to be asked. */
    private static final class Compiled<T> {
        private final Rule<T> rule;
        private final byte[] name;
        private final boolean prefix;
        private final Condition[] conditions;

        Compiled(Rule<T> rule, Map<String, byte[]> keys) {
            String text = rule.className().isEmpty() ? "*" : rule.className();
            this.rule = rule;
            this.prefix = text.endsWith("*");
            this.name = (prefix ? text.substring(0, text.length() - 1) : text).getBytes(UTF_8);
            this.conditions = rule.headers().stream()
                    .map(match ->
                            new Condition(match, keys.computeIfAbsent(match.name(), each -> each.getBytes(UTF_8))))
                    .toArray(Condition[]::new);
        }

        boolean hasClass(Call call) {
            return prefix ? name.length == 0 || call.classBegins(name) : call.classIs(name);
        }

        String reason(Call call) {
            if (!hasClass(call)) {
                return "class (expected: " + rule.className() + ")";
            }
            for (Condition condition : conditions) {
                if (!condition.holds(call, call.seek(condition.key))) {
                    return "header " + condition.test.name() + " (expected: " + condition.test.expected() + ")";
                }
            }
            return "";
        }
    }

    /** A condition on the value of a key. */
    private static final class Condition {
        private final ValueMatch.Kind kind;
        private final ValueTest test;
        private final byte[] key;
        private final byte[] value;

        Condition(ValueMatch match, byte[] key) {
            this.kind = match.kind();
            this.test = new ValueTest(match);
            this.key = key;
            this.value = match.value().getBytes(UTF_8);
        }

        boolean holds(Call call, boolean found) {
            return switch (kind) {
                case EXACT -> found && call.valueIs(value);
                case PREFIX -> found && call.valueBegins(value);
                case REGEXP -> found && test.holds(call.valueText());
                case PRESENT -> found;
                case ABSENT -> !found && call.hasMap();
            };
        }
    }
}
