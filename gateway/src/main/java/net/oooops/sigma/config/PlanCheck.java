package net.oooops.sigma.config;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Warns of consumers with a plan that none of the limits knows to which they come: it may be mistyped, here or there. A plan that nobody has is none to warn
 * of, as it may be had tomorrow, or by a claim of a token.
 */
final class PlanCheck {
    private static final String FIELD = "X-Consumer-Plan";

    /** Plans of consumers that come to limits with plans, and whether any of these knows it. */
    private final IdentityHashMap<Json, Boolean> booked = new IdentityHashMap<>();

    private final Set<String> names = new TreeSet<>();
    /** Many routes may have the same limits behind the same consumers. */
    private final Set<Seen> seen = new HashSet<>();

    private record Seen(Json finder, List<String> plans) {}

    /**
     * A way leads to that limit.
     *
     * @param finders settings of the plugins before it that may have found the consumer
     */
    void see(Json limit, List<Json> finders) {
        List<String> known =
                limit.itemsOf("plans").stream().map(plan -> plan.text("id", "")).toList();
        if (known.isEmpty()) {
            return;
        }
        names.addAll(known);
        for (Json finder : finders) {
            if (seen.add(new Seen(finder, known))) {
                finder.itemsOf("consumers").forEach(consumer -> seeConsumer(consumer, known));
            }
        }
    }

    private void seeConsumer(Json consumer, List<String> known) {
        Json fields = consumer.get("fields");
        if (fields == null) {
            return;
        }
        fields.members().forEach((name, plan) -> {
            if (name.equalsIgnoreCase(FIELD)) {
                booked.merge(plan, known.contains(plan.text()), Boolean::logicalOr);
            }
        });
    }

    void warn(Problems warnings) {
        booked.forEach((plan, known) -> {
            if (!known) {
                warnings.value(
                        plan,
                        plan.shown(),
                        "a plan that a limit knows to which this consumer comes; it has what holds for all others",
                        Nearest.of(plan.text(), names));
            }
        });
    }
}
