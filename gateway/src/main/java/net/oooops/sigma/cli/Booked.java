package net.oooops.sigma.cli;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.config.PluginConfig;

/** What sigma.json says of the consumer that a question is about, and which limit holds for who has booked that. */
final class Booked {
    /** In which field a consumer has its plan. */
    private static final String PLAN = "X-Consumer-Plan";
    /** Plugins whose settings give consumers fields. */
    private static final Set<String> FINDERS = Set.of("key-auth", "basic-auth", "client-certificate");

    private static final Set<String> LIMITS = Set.of("rate-limit", "concurrency-limit");

    private Booked() {}

    /** One of that id, that has that plan. */
    static Consumer of(String id, String plan) {
        return Consumer.of(id, Field.of(PLAN, plan));
    }

    /**
     * The same consumer with the fields that a plugin gives it; as it is where it has any, or none of them names it.
     *
     * @param way the plugins that a request passes
     */
    static Consumer named(Consumer asked, List<PluginConfig> way) {
        if (!asked.fields().isEmpty()) {
            return asked;
        }
        for (PluginConfig plugin : way) {
            Settings consumers = Settings.of(plugin.settings()).get("consumers");
            for (Settings consumer : FINDERS.contains(plugin.name()) ? consumers.elements() : List.<Settings>of()) {
                Settings fields = consumer.get("fields");
                if (consumer.get("id").string("").equals(asked.id()) && fields.isPresent()) {
                    return Consumer.of(
                            asked.id(),
                            fields.keys().stream()
                                    .map(name -> Field.of(name, fields.get(name).string()))
                                    .toArray(Field[]::new));
                }
            }
        }
        return asked;
    }

    /**
     * Which limit holds, in words; empty where the plugin has the same for all.
     *
     * @param plan of the consumer; empty where it has none
     */
    static String limit(PluginConfig limit, String plan) {
        Settings settings = Settings.of(limit.settings());
        List<Settings> plans =
                LIMITS.contains(limit.name()) ? settings.get("plans").elements() : List.of();
        if (plans.isEmpty()) {
            return "";
        }
        for (Settings each : plans) {
            if (each.get("id").string().equals(plan)) {
                return "plan " + plan + ": " + said(each);
            }
        }
        return (plan.isEmpty() ? "no plan" : "plan " + plan + " isn't named") + ": " + said(settings);
    }

    private static String said(Settings of) {
        if (of.get("max").isPresent()) {
            return of.get("max").integer(0) + " at once";
        }
        return of.get("limits").elements().stream().map(Booked::rate).collect(Collectors.joining(" and "));
    }

    private static String rate(Settings limit) {
        Settings burst = limit.get("burst");
        return limit.get("requests").integer(0) + " in " + limit.get("per").string("1s")
                + (burst.isPresent() ? ", " + burst.integer(0) + " at once" : "");
    }
}
