package net.oooops.sigma.cli;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.config.PluginConfig;

/** Which limit of a plugin holds for who has booked a plan, in words. */
final class LimitText {
    private static final Set<String> LIMITS = Set.of("rate-limit", "concurrency-limit");

    private LimitText() {}

    /**
     * Which limit holds, in words; empty where the plugin has the same for all.
     *
     * @param plan of the consumer; empty where it has none
     */
    static String of(PluginConfig limit, String plan) {
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
        return of.get("limits").elements().stream().map(LimitText::rate).collect(Collectors.joining(" and "));
    }

    private static String rate(Settings limit) {
        Settings burst = limit.get("burst");
        return limit.get("requests").integer(0) + " in " + limit.get("per").string("1s")
                + (burst.isPresent() ? ", " + burst.integer(0) + " at once" : "");
    }
}
