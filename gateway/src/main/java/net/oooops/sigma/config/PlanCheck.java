package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.oooops.sigma.api.Consumer;

/**
 * Warns of consumers with a plan that none of the limits knows to which they come, and of plans of limits that nobody has who comes there: it may be mistyped,
 * here or there. Where a claim of a token says the plan, or a plugin of which nothing is known finds the consumer, it may be any.
 */
final class PlanCheck {
    private static final Set<String> BY_CLAIMS = Set.of("jwt", "oidc");
    /** Those that find consumers that sigma.json names, or others, who have no plan. */
    private static final Set<String> BY_NAME = Set.of("key-auth", "basic-auth", "client-certificate", "forward-auth");

    /** Plans of consumers that come to limits with plans, and which plans these have. */
    private final IdentityHashMap<Json, Set<String>> booked = new IdentityHashMap<>();
    /** Plans of limits to which consumers come, and whether any of these may have it. */
    private final IdentityHashMap<Json, Boolean> offered = new IdentityHashMap<>();

    private final IdentityHashMap<Json, Set<Json>> findersBefore = new IdentityHashMap<>();
    /** Many routes may have the same limits behind the same consumers. */
    private final Set<Seen> seen = new HashSet<>();

    private final IdentityHashMap<Json, Given> givenByFinders = new IdentityHashMap<>();

    private record Seen(Json finder, List<String> plans) {}

    /** What consumers have that sigma.json names at one place: many routes may have that before their limits. */
    private record Given(List<Json> plans, Set<String> texts) {
        static final Given NOTHING = new Given(List.of(), Set.of());

        static Given by(Json finder) {
            List<Json> plans = plansOf(finder);
            return new Given(plans, plans.stream().map(Json::text).collect(Collectors.toUnmodifiableSet()));
        }
    }

    /**
     * A way leads to that limit.
     *
     * @param finders settings of the plugins before it that may have found the consumer
     */
    void see(Json limit, List<Json> finders) {
        List<Json> ids = new ArrayList<>();
        List<String> known = new ArrayList<>();
        for (Json plan : limit.itemsOf("plans")) {
            Json id = plan.get("id");
            if (id != null) {
                ids.add(id);
                known.add(id.text());
            }
        }
        if (ids.isEmpty()) {
            return;
        }
        // Where nobody finds a consumer, that is told as such.
        boolean isAny = finders.isEmpty();
        for (Json finder : finders) {
            isAny |= mayGiveAny(finder);
            Given given = givenByFinders.computeIfAbsent(finder, Given::by);
            if (seen.add(new Seen(finder, known))) {
                given.plans.forEach(plan ->
                        booked.computeIfAbsent(plan, any -> new TreeSet<>()).addAll(known));
            }
        }
        for (Json id : ids) {
            findersBefore.computeIfAbsent(id, any -> new HashSet<>()).addAll(finders);
            offered.merge(id, isAny || isGiven(id.text(), finders), Boolean::logicalOr);
        }
    }

    private boolean isGiven(String plan, List<Json> finders) {
        return finders.stream().anyMatch(finder -> given(finder).texts.contains(plan));
    }

    private Given given(Json finder) {
        return givenByFinders.getOrDefault(finder, Given.NOTHING);
    }

    private static boolean mayGiveAny(Json finder) {
        if (BY_CLAIMS.contains(finder.step())) {
            Json claims = finder.get("claims");
            return claims != null && claims.members().keySet().stream().anyMatch(Consumer.PLAN_FIELD::equalsIgnoreCase);
        }
        return !BY_NAME.contains(finder.step());
    }

    /** What consumers have that sigma.json names there. */
    private static List<Json> plansOf(Json finder) {
        List<Json> plans = new ArrayList<>();
        for (Json consumer : finder.itemsOf("consumers")) {
            Json fields = consumer.get("fields");
            if (fields != null) {
                fields.members().forEach((name, plan) -> {
                    if (Consumer.PLAN_FIELD.equalsIgnoreCase(name)) {
                        plans.add(plan);
                    }
                });
            }
        }
        return plans;
    }

    void warn(Problems warnings) {
        booked.forEach((plan, known) -> {
            if (!known.contains(plan.text())) {
                warnings.value(
                        plan,
                        plan.shown(),
                        "one of the \"plans\" of a limit that this consumer comes to; with another one, it has what all others have",
                        Nearest.of(plan.text(), known));
            }
        });
        offered.forEach((id, isHad) -> {
            if (isHad) {
                return;
            }
            Given before = before(id);
            if (!isMeant(id, before.plans)) {
                warnings.value(
                        id,
                        id.shown(),
                        "the " + Consumer.PLAN_FIELD + " of a consumer that comes to this limit; none has this one",
                        Nearest.of(id.text(), before.texts));
            }
        });
    }

    /** The plans of consumers who come to a plan's limit. */
    private Given before(Json id) {
        List<Json> plans = new ArrayList<>();
        Set<String> texts = new TreeSet<>();
        for (Json finder : findersBefore.getOrDefault(id, Set.of())) {
            plans.addAll(given(finder).plans);
            texts.addAll(given(finder).texts);
        }
        return new Given(plans, texts);
    }

    /** Whether it is what is suggested for the plan of a consumer who comes there: once is enough of what is mistyped. */
    private boolean isMeant(Json id, List<Json> before) {
        return before.stream().anyMatch(plan -> {
            Set<String> known = booked.getOrDefault(plan, Set.of());
            return !known.contains(plan.text()) && id.text().equals(Nearest.of(plan.text(), known));
        });
    }
}
